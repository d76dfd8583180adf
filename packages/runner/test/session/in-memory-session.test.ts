import { StoredSessionService } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { SingleSessionStore } from '../../src/session/in-memory-session.ts';
import { ref, says } from '../support/setup.ts';

describe('SingleSessionStore', () => {
  it('rejects an append with another incarnation (contract 7)', async () => {
    const service = new StoredSessionService(new SingleSessionStore());
    const session = await service.createSession(ref);
    const event = { ...says({ agentName: 'a', invocationId: 'i', runtime: undefined } as never, 'x') };
    const rejected = service.appendEvent({ session: ref, incarnation: 'other', event });
    await expect(rejected).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect((await service.appendEvent({ session, event })).seq).toBe(1);
  });
});
