import { SqlSessionStore } from '@thole/sql-services';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../src/schema/migrate.ts';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const lease = {
  ...{ user_id: 'u', session_id: 's', fence: 'f', invocation_id: '"i"', holder: '["h"]', expires_at: 9e9 },
  ...{ latest_end: null, stop_code: null, stopped_by: null },
};
const never = new Promise<never>(() => {});

/** Creates a store on a server that has the tables, needs 900 ms for its next answer, and then never answers. */
function createStore(): { store: SqlSessionStore; runtime: FixedRuntime } {
  const runtime = new FixedRuntime();
  let answers = 0;
  const client = {
    async query({ text }: { text: string }) {
      if (text.includes('SELECT content')) return { rows: [{ content: String(SCHEMA_VERSION) }], rowCount: 1 };
      if (answers++ > 0) return never;
      await runtime.sleep(900);
      return text.includes('fence') ? { rows: [lease], rowCount: 1 } : { rows: [], rowCount: 0 };
    },
    release() {},
  };
  const pool = { connect: async () => client, query: () => never };
  return { store: new SqlSessionStore({ db: pool, dialect: 'postgres', runtime, timeoutMs: 1_000 }), runtime };
}

describe('SqlSessionStore: time limit', () => {
  const calls: { [name: string]: (store: SqlSessionStore) => Promise<unknown> } = {
    current: (store) => store.abilities.leasing.current(ref),
    leases: (store) => Array.fromAsync(store.abilities.leasing.leases('app')),
    addState: (store) => store.addState({ appName: 'app' }, { theme: 'dark' }),
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`ends ${name} within timeoutMs if its second step gets no answer`, async () => {
      const { store, runtime } = createStore();
      const startedAt = runtime.monotonic();
      const ended = call(store).then(
        (value) => JSON.stringify(value),
        (error: { code: string }) => `${error.code} after ${runtime.monotonic() - startedAt} ms`,
      );
      await runtime.advance(3_000);
      expect(await ended).toBe('STORE_UNAVAILABLE after 1000 ms');
    });
  }
});
