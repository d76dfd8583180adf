import { TholeError } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

// F339, with F001–F004, F058 and F064.
describe('example: examining session properties', () => {
  const key = { appName: 'my_app', userId: 'example_user' };

  it('a new session shows its names, the state it began with, no events and when it was made (contracts 2, 41)', async () => {
    const service = new InMemorySessionService({ runtime: new FixedRuntime({ now: 1_700_000_000.25 }) });
    const session = await service.createSession({ ...key, state: { initial_key: 'initial_value' } });
    expect(session).toMatchObject({
      ...key,
      state: { initial_key: 'initial_value' },
      events: [],
      lastUpdateTime: 1_700_000_000.25,
    });
    expect(session.id).toBe('session-1');
    expect(await service.getSession({ ...key, sessionId: session.id })).toEqual(session);
  });

  it('a deleted session is gone, and deleting it again says that it was not there (contracts 10, 11)', async () => {
    const service = new InMemorySessionService();
    const { id: sessionId } = await service.createSession({ ...key, state: { initial_key: 'initial_value' } });
    expect(await service.deleteSession({ ...key, sessionId })).toBe(true);
    expect(await service.getSession({ ...key, sessionId })).toBeUndefined();
    expect(await service.deleteSession({ ...key, sessionId })).toBe(false);
  });

  it('changing what was read changes nothing stored (contract 9)', async () => {
    const service = new InMemorySessionService();
    const session = await service.createSession({ ...key, sessionId: 's', state: { initial_key: 'initial_value' } });
    session.state['initial_key'] = 'changed by hand';
    expect((await service.getSession({ ...key, sessionId: 's' }))?.state).toEqual({ initial_key: 'initial_value' });
  });

  it('a taken id is refused and the session that has it stays as it is (contract 2)', async () => {
    const service = new InMemorySessionService();
    await service.createSession({ ...key, sessionId: 's', state: { initial_key: 'initial_value' } });
    const error = await service.createSession({ ...key, sessionId: 's' }).catch((thrown: unknown) => thrown);
    expect(TholeError.is(error, 'SESSION_ALREADY_EXISTS')).toBe(true);
    expect((await service.getSession({ ...key, sessionId: 's' }))?.state).toEqual({ initial_key: 'initial_value' });
  });
});
