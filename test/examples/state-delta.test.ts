import { createEvent } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const key = { appName: 'state_app_manual', userId: 'user2', sessionId: 'session2' };

// F341, with F013, F014, F031, F039, F046 and F059.
describe('example: state written by a separate event', () => {
  it('stores keys by scope and drops `temp:` keys (contracts 3, 4, 7)', async () => {
    const runtime = new FixedRuntime();
    const service = new InMemorySessionService({ runtime });
    const session = await service.createSession({ ...key, state: { 'user:login_count': 0, task_status: 'idle' } });
    await runtime.advance(5_000);

    const loginTime = runtime.now();
    const event = createEvent(
      {
        author: 'system',
        invocationId: 'inv_login_update',
        timestamp: loginTime,
        actions: {
          stateDelta: {
            task_status: 'active',
            'user:login_count': (session.state['user:login_count'] as number) + 1,
            'user:last_login_ts': loginTime,
            'app:logins_today': 1,
            'temp:validation_needed': true,
          },
        },
      },
      runtime,
    );
    const stored = await service.appendEvent({ session, event });

    const expected = {
      task_status: 'active',
      'user:login_count': 1,
      'user:last_login_ts': loginTime,
      'app:logins_today': 1,
    };
    const read = await service.getSession(key);
    expect(read?.state).toEqual(expected);
    expect(read?.lastUpdateTime).toBe(loginTime);
    expect(read?.events).toEqual([stored]);
    expect(stored).toMatchObject({ seq: 1, author: 'system', invocationId: 'inv_login_update' });
    expect(stored.actions.stateDelta).toEqual(expected);
    expect(session.state, 'the passed session has the same state').toEqual(expected);
    expect(event.actions.stateDelta, 'the event of the caller is unchanged').toHaveProperty('temp:validation_needed');
  });

  it('shares user keys between sessions of the user and app keys with all users (contract 3)', async () => {
    const service = new InMemorySessionService();
    await service.createSession({
      ...key,
      state: { 'user:login_count': 1, 'app:logins_today': 1, task_status: 'idle' },
    });
    const same = await service.createSession({ ...key, sessionId: 'other' });
    const other = await service.createSession({ ...key, userId: 'user3' });
    expect(same.state).toEqual({ 'user:login_count': 1, 'app:logins_today': 1 });
    expect(other.state).toEqual({ 'app:logins_today': 1 });
  });

  // F062.
  it('keeps events and keys of two concurrent writers (contracts 6, 8)', async () => {
    const service = new InMemorySessionService();
    await service.createSession(key);
    const writers = [...Array(20).keys()].map((n) =>
      service.updateState({ ...key, stateDelta: { [`key${n}`]: n, last: n } }),
    );
    const stored = await Promise.all(writers);
    const read = await service.getSession(key);
    expect(read?.events.map(({ seq }) => seq)).toEqual([...Array(20).keys()].map((n) => n + 1));
    expect(Object.keys(read?.state ?? {})).toHaveLength(21);
    expect(read?.state['last']).toBe(stored.find(({ seq }) => seq === 20)?.actions.stateDelta['last']);
  });
});
