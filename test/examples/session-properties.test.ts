import { TholeError } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

// F339, with F001–F004, F058 and F064.
describe('example: examining session properties', () => {
  const key = { appName: 'my_app', userId: 'example_user' };

  it('has names, initial state, no events and the creation time in a new session (contracts 2, 41)', async () => {
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

  it('deletes a session once and reports a second deletion (contracts 10, 11)', async () => {
    const service = new InMemorySessionService();
    const { id: sessionId } = await service.createSession({ ...key, state: { initial_key: 'initial_value' } });
    expect(await service.deleteSession({ ...key, sessionId })).toBe(true);
    expect(await service.getSession({ ...key, sessionId })).toBeUndefined();
    expect(await service.deleteSession({ ...key, sessionId })).toBe(false);
  });

  it('does not store changes to a session that was read (contract 9)', async () => {
    const service = new InMemorySessionService();
    const session = await service.createSession({ ...key, sessionId: 's', state: { initial_key: 'initial_value' } });
    session.state['initial_key'] = 'changed by hand';
    expect((await service.getSession({ ...key, sessionId: 's' }))?.state).toEqual({ initial_key: 'initial_value' });
  });

  it('rejects an existing id and keeps its session unchanged (contract 2)', async () => {
    const service = new InMemorySessionService();
    await service.createSession({ ...key, sessionId: 's', state: { initial_key: 'initial_value' } });
    const error = await service.createSession({ ...key, sessionId: 's' }).catch((thrown: unknown) => thrown);
    expect(TholeError.is(error, 'SESSION_ALREADY_EXISTS')).toBe(true);
    expect((await service.getSession({ ...key, sessionId: 's' }))?.state).toEqual({ initial_key: 'initial_value' });
  });
});
