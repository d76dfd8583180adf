import { PgVectorStore } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const user = { appName: 'hotel', userId: 'ada' };
const vector = Float32Array.of(1, 0);
const never = new Promise<never>(() => {});

/** Creates a store on a server that needs 900 ms to create the table, and then never answers. */
function createStore(): { store: PgVectorStore; runtime: FixedRuntime } {
  const runtime = new FixedRuntime();
  let isCreated = false;
  const client = {
    async query({ text }: { text: string }) {
      if (isCreated) return never;
      if (text === 'COMMIT') {
        await runtime.sleep(900);
        isCreated = true;
      }
      return { rows: [{ name: 'vector', installed_version: '0.8.0' }], rowCount: 1 };
    },
    release() {},
  };
  const pool = { connect: async () => client, query: () => never };
  return { store: new PgVectorStore({ db: pool, runtime, timeoutMs: 1_000 }), runtime };
}

describe('SqlVectorStore: time limit', () => {
  const calls: { [name: string]: (store: PgVectorStore) => Promise<unknown> } = {
    upsert: (store) => store.upsert(user, [{ id: 'a', model: 'm', vector }]),
    query: (store) => store.query(user, { model: 'm', vector, limit: 1 }),
    has: (store) => store.has(user, { model: 'm', ids: ['a'] }),
    delete: (store) => store.delete(user, ['a']),
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`ends ${name} within timeoutMs, including the time to create the table`, async () => {
      const { store, runtime } = createStore();
      const startedAt = runtime.monotonic();
      const ended = call(store).then(
        () => 'done',
        (error: { code: string }) => `${error.code} after ${runtime.monotonic() - startedAt} ms`,
      );
      await runtime.advance(3_000);
      expect(await ended).toBe('STORE_UNAVAILABLE after 1000 ms');
    });

    it(`ends ${name} within timeoutMs if an earlier call has begun to create the table`, async () => {
      const { store, runtime } = createStore();
      const first = store.has(user, { model: 'm', ids: ['b'] }).catch(() => undefined);
      await runtime.advance(500);
      const startedAt = runtime.monotonic();
      const ended = call(store).catch((error: { code: string }) => `${error.code} ${runtime.monotonic() - startedAt}`);
      await runtime.advance(3_000);
      await first;
      expect(await ended).toBe('STORE_UNAVAILABLE 1000');
    });
  }
});
