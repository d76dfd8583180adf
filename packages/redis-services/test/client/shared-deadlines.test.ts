import { createEvent } from '@thole/core';
import { RedisSessionStore } from '@thole/redis-services';
import type { RedisClient } from '@thole/redis-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const noDelta = { app: undefined, user: undefined, session: undefined };

/** Creates a store that has detected the mode of its server. The server replies to the next script after 900 ms, and then never again. */
async function createStore(p: {
  isCluster: boolean;
  reply: unknown;
}): Promise<{ store: RedisSessionStore; runtime: FixedRuntime }> {
  const runtime = new FixedRuntime();
  let scripts = -1;
  const client = {
    isCluster: p.isCluster,
    status: 'ready',
    options: {},
    nodes: () => [],
    info: async () => 'cluster_enabled:0',
    async evalsha() {
      if (scripts < 0) return [];
      if (scripts++ > 0) return new Promise<never>(() => {});
      await runtime.sleep(900);
      return p.reply;
    },
  };
  const clock = (): number => runtime.now() * 1000;
  const options = { runtime, clock, timeoutMs: 1_000 };
  const store = new RedisSessionStore(client as unknown as RedisClient, options);
  await store.readState({ appName: 'app' });
  scripts = 0;
  return { store, runtime };
}

describe('RedisSessionStore: time limit', () => {
  it.each([
    {
      name: 'an append that needs a second script',
      server: { isCluster: false, reply: ['MORE', '1'] },
      outcome: 'STORE_OUTCOME_UNKNOWN',
      call: async (store: RedisSessionStore): Promise<unknown> =>
        store.append(ref, createEvent({ id: 'e', author: 'a' }), noDelta),
    },
    {
      name: 'renew on Cluster',
      server: { isCluster: true, reply: ['OK', 5_000, ['incarnation', 1, 0, 0]] },
      outcome: 'STORE_OUTCOME_UNKNOWN',
      call: async (store: RedisSessionStore): Promise<unknown> =>
        store.abilities.leasing.store.renew(ref, 'fence', 5_000),
    },
    {
      name: 'release on Cluster',
      server: { isCluster: true, reply: [1] },
      outcome: 'STORE_OUTCOME_UNKNOWN',
      call: async (store: RedisSessionStore): Promise<unknown> =>
        store.abilities.leasing.store.release(ref, 'fence', {}),
    },
  ])('ends $name within timeoutMs if the second script gets no reply', async ({ server, outcome, call }) => {
    const { store, runtime } = await createStore(server);
    const startedAt = runtime.monotonic();
    const ended = call(store).then(
      (value) => JSON.stringify(value),
      (error: { code: string }) => `${error.code} after ${runtime.monotonic() - startedAt} ms`,
    );
    await runtime.advance(3_000);
    expect(await ended).toBe(`${outcome} after 1000 ms`);
    expect(runtime.pending).toBe(0);
  });
});
