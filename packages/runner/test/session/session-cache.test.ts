import { describe, expect, it } from 'vitest';
import { SessionCache } from '../../src/session/session-cache.ts';
import { agentOf, withCounts, createSetup, hello, ref, says, saying } from '../support/setup.ts';

describe('SessionCache', () => {
  it('reads nothing in later runs, except new events of other writers (contract 13)', async () => {
    const { service, newRunner } = await createSetup(saying('root', 'yes'));
    const counted = withCounts(service);
    const runner = newRunner({ sessionService: counted.service });
    for (let turn = 0; turn < 5; turn++) await runner.runToCompletion(hello);
    expect(counted.reads).toEqual([{ afterSeq: undefined }]);
    await service.updateState({ ...ref, stateDelta: { mood: 'good' } });
    await runner.runToCompletion(hello);
    await runner.runToCompletion(hello);
    expect(counted.reads).toEqual([{ afterSeq: undefined }, { afterSeq: 9 }]);
  });

  // A follower adds events to its session. A run would then not notice messages that have joined it (contract 13).
  it('never shares the session of a follower with a run', async () => {
    const { service } = await createSetup(saying('root', 'yes'));
    const cache = new SessionCache(service, 10);
    const { signal } = new AbortController();
    const followed = await cache.peek(ref, signal);
    expect(cache.cached(ref)).toBeUndefined();
    expect(await cache.peek(ref, signal)).not.toBe(followed);
    cache.keep(followed);
    expect(cache.cached(ref)).toBe(followed);
  });

  it('reads nothing after writes of the runner itself to all state scopes', async () => {
    const agent = agentOf('root', async function* (context) {
      context.state.set('app:a', 1);
      context.state.set('user:b', 1);
      context.state.set('c', 1);
      yield says(context, 'yes');
    });
    const { service, newRunner } = await createSetup(agent);
    const counted = withCounts(service);
    const runner = newRunner({ sessionService: counted.service, autoCreateSession: true });
    const fresh = { ...hello, sessionId: 'fresh' };
    await runner.runToCompletion(fresh);
    const first = counted.reads.length;
    await runner.runToCompletion(fresh);
    await runner.runToCompletion(fresh);
    expect(counted.reads.length).toBe(first);
  });

  it('reads user and app state that was written in another session', async () => {
    const seen: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      seen.push([context.state.get('user:theme'), context.state.get('app:motd')]);
      yield says(context, 'yes');
    });
    const { service, runner } = await createSetup(agent);
    await runner.runToCompletion(hello);
    const other = await service.createSession({ appName: 'app', userId: 'ann' });
    await service.updateState({
      appName: 'app',
      userId: 'ann',
      sessionId: other.id,
      stateDelta: { 'user:theme': 'dark', 'app:motd': 'hi' },
    });
    await runner.runToCompletion(hello);
    expect(seen).toEqual([
      [undefined, undefined],
      ['dark', 'hi'],
    ]);
  });

  it('evicts the sessions that were used least recently beyond maxCachedSessions', async () => {
    const { service, newRunner } = await createSetup(saying('root', 'yes'));
    const counted = withCounts(service);
    const runner = newRunner({ sessionService: counted.service, maxCachedSessions: 2 });
    for (const sessionId of ['t', 'u']) await service.createSession({ ...ref, sessionId });
    const readsOf = async (sessionId: string): Promise<number> => {
      const before = counted.reads.length;
      await runner.runToCompletion({ ...hello, sessionId });
      return counted.reads.length - before;
    };
    expect([await readsOf('s'), await readsOf('t'), await readsOf('s')]).toEqual([1, 1, 0]);
    expect([await readsOf('u'), await readsOf('s'), await readsOf('t')]).toEqual([1, 0, 1]);
  });

  it('throws SESSION_NOT_FOUND for an unknown session, or creates it with autoCreateSession', async () => {
    const { runner, newRunner, service } = await createSetup(saying('root', 'yes'));
    const unknown = { ...hello, sessionId: 'unknown' };
    await expect(runner.runToCompletion(unknown)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await service.getSession({ ...ref, sessionId: 'unknown' })).toBeUndefined();
    const { text } = await newRunner({ autoCreateSession: true }).runToCompletion(unknown);
    expect(text).toBe('yes');
  });
});
