import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TholeError } from '@thole/core';
import { SqliteVecStore } from '@thole/sql-services';
import { register, vectorStoreCases } from '@thole/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { earlierTable } from './earlier-table.ts';

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

  it('updates a table of an earlier version, and keeps its vectors', async () => {
    const dbUrl = urlOfNext();
    const file = new DatabaseSync(join(folder, `${count - 1}.db`));
    for (const sql of earlierTable('thole_', 'blob')) file.exec(sql);
    const vector = new Uint8Array(Float32Array.of(1, 0).buffer);
    const insert = file.prepare('INSERT INTO thole_vectors VALUES (?, ?, ?, ?, ?, ?, ?)');
    insert.run('hotel', 'ada', '=a', '"a"', 'm', 2, vector);
    const key = file.prepare('SELECT id_key FROM thole_vectors');
    const user = { appName: 'hotel', userId: 'ada' };
    const row = { id: 'a', model: 'n', vector: Float32Array.of(0, 1) };
    const readOnly = new SqliteVecStore({ dbUrl, autoMigrate: false });
    await expect(readOnly.upsert(user, [row])).rejects.toMatchObject({
      code: 'STORE_VERSION',
      message: 'The table of vectors has an earlier version. Call migrate().',
    });
    const stores = [new SqliteVecStore({ dbUrl }), new SqliteVecStore({ dbUrl })];
    await Promise.all(stores.map((store) => store.upsert(user, [row])));
    await readOnly.upsert(user, [row]);
    expect(key.all().length).toBe(2);
    for (const [model, query] of [
      ['m', Float32Array.of(1, 0)],
      ['n', row.vector],
    ] as const)
      expect(await stores[0]!.query(user, { model, vector: query, limit: 3 })).toMatchObject([{ id: 'a' }]);
    for (const store of [...stores, readOnly]) await store.close();
    const tables = file.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'thole_%' ORDER BY name").all();
    expect(tables.map(({ name }) => name)).toEqual(['thole_vectors', 'thole_vectors_model']);
    file.close();
  });

  it('reads an existing table while another process writes', async () => {
    const dbUrl = urlOfNext();
    const user = { appName: 'hotel', userId: 'ada' };
    const vector = Float32Array.of(1, 0);
    const first = new SqliteVecStore({ dbUrl });
    await first.upsert(user, [{ id: 'a', model: 'm', vector }]);
    await first.close();
    const writer = new DatabaseSync(join(folder, `${count - 1}.db`));
    writer.exec('BEGIN IMMEDIATE');
    const store = new SqliteVecStore({ dbUrl, timeoutMs: 5_000 });
    expect(await store.query(user, { model: 'm', vector, limit: 1 })).toMatchObject([{ id: 'a' }]);
    await store.close();
    writer.close();
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
