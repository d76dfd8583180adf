import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TholeError } from '@thole/core';
import { SqliteVecStore } from '@thole/sql-services';
import { register, vectorStoreCases } from '@thole/testing';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-vec-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const urls = new WeakMap<object, string>();
const urlOfNext = (): string => `sqlite:///${join(folder, `${count++}.db`)}`;

register({ describe, it }, vectorStoreCases, {
  name: 'SqliteVecStore',
  claims: ['has', 'shared'],
  create(runtime) {
    const dbUrl = urlOfNext();
    const store = new SqliteVecStore({ dbUrl, runtime });
    urls.set(store, dbUrl);
    return store;
  },
  reopen: (store, runtime) => new SqliteVecStore({ dbUrl: urls.get(store)!, runtime }),
  destroy: (store) => (store as SqliteVecStore).close(),
});

describe('SqliteVecStore', () => {
  it('rejects URLs of other databases, and unknown options', () => {
    for (const options of [{ dbUrl: 'postgresql://localhost/x' }, { dbUrl: 'sqlite://:memory:', dimensions: 3 }, {}]) {
      expect(() => new SqliteVecStore(options as { dbUrl: string })).toThrow(TholeError);
    }
  });

  it('overwrites deleted data in the file', async () => {
    const dbUrl = urlOfNext();
    const store = new SqliteVecStore({ dbUrl });
    const user = { appName: 'hotel', userId: 'ada' };
    await store.upsert(user, [{ id: 'a-deleted-id', model: 'm', vector: Float32Array.of(1, 2) }]);
    await store.delete(user, ['a-deleted-id']);
    await store.close();
    expect(readFileSync(join(folder, `${count - 1}.db`)).includes('a-deleted-id')).toBe(false);
  });

  it('answers ping, and throws STORE_UNAVAILABLE after close', async () => {
    const store = new SqliteVecStore({ dbUrl: 'sqlite://:memory:' });
    await store.ping();
    await store.close();
    await expect(store.ping()).rejects.toSatisfy((error) => TholeError.is(error, 'STORE_UNAVAILABLE'));
  });

  it('closes its connection at the end of an await using block', async () => {
    let closed: SqliteVecStore;
    {
      await using store = new SqliteVecStore({ dbUrl: 'sqlite://:memory:' });
      await store.ping();
      closed = store;
    }
    await expect(closed.ping()).rejects.toSatisfy((error) => TholeError.is(error, 'STORE_UNAVAILABLE'));
  });
});
