import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { InMemoryDeliveryStore } from '../../src/index.ts';
import { SqlDeliveryStore, sqliteDatabase } from '../../src/sql/index.ts';
import type { SqlParameter } from '../../src/sql/index.ts';
import { deliveryStoreCases } from './delivery-store-cases.ts';

describe('InMemoryDeliveryStore', () => {
  deliveryStoreCases(() => new InMemoryDeliveryStore());
});

describe('SqlDeliveryStore in SQLite', () => {
  deliveryStoreCases(() => new SqlDeliveryStore({ database: sqliteDatabase(':memory:') }));

  it('erases the text of finished and sent messages', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thole-deliveries-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'new', 'deliveries.db');
    const store = new SqlDeliveryStore({ database: sqliteDatabase(path), tablePrefix: 'my_' });
    const message = { channel: 'chat', sender: 'a1', id: '1', text: 'secret question' };
    await store.receive({ key: 'k', userId: 'ada', message, receivedAt: 1 });
    await store.put({
      key: 'd',
      userId: 'ada',
      channel: 'chat',
      to: 'a1',
      message: { text: 'secret answer' },
      createdAt: 1,
    });
    await store.finish(['k'], 2);
    await store.settle('d', { status: 'sent', at: 2 });
    await store.close();
    expect(readFileSync(path, 'latin1')).not.toContain('secret');
  });

  it('erases replaced and deleted texts from the write-ahead log while the file is open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const folder = mkdtempSync(join(tmpdir(), 'thole-deliveries-'));
    const path = join(folder, 'deliveries.db');
    const store = new SqlDeliveryStore({ database: sqliteDatabase(path) });
    onTestFinished(async () => {
      vi.useRealTimers();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const contains = (text: string): boolean =>
      ['', '-wal'].some((end) => readFileSync(path + end, 'latin1').includes(text));
    const messageOf = (text: string) => ({ channel: 'chat', sender: 'a1', id: '1', text });
    await store.receive({ key: 'k', userId: 'ada', message: messageOf('answered text'), receivedAt: 1 });
    await store.finish(['k'], 2);
    expect(contains('answered text')).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(contains('answered text')).toBe(false);
    await store.receive({ key: 'l', userId: 'ada', message: messageOf('waiting text'), receivedAt: 1 });
    expect(contains('waiting text')).toBe(true);
    await store.deleteUser('ada');
    expect(contains('waiting text')).toBe(false);
    // The log remains at close while another connection is open.
    const other = sqliteDatabase(path);
    await other.query('SELECT 1', []);
    await store.receive({ key: 'm', userId: 'ada', message: messageOf('last text'), receivedAt: 1 });
    await store.finish(['m'], 2);
    await store.close();
    expect(contains('last text')).toBe(false);
    await other.close!();
  });

  it('scans no table for reports, unfinished and pending messages, and old keys', async () => {
    const database = sqliteDatabase(':memory:');
    const statements: { sql: string; parameters: readonly SqlParameter[] }[] = [];
    const store = new SqlDeliveryStore({
      database: {
        dialect: 'sqlite',
        query: (sql, parameters) => {
          statements.push({ sql, parameters });
          return database.query(sql, parameters);
        },
      },
    });
    await store.status('k');
    statements.length = 0;
    await store.report({ channel: 'chat', id: 'r1', status: 'read' });
    await store.unfinished();
    await store.pending();
    await store.prune(1);
    expect(statements).toHaveLength(5);
    for (const { sql, parameters } of statements) {
      const { rows } = await database.query(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      const plan = rows.map(({ detail }) => detail).join('; ');
      expect(plan).toMatch(/SEARCH \w+ USING INDEX/);
      expect(plan).not.toContain('SCAN');
    }
    await database.close!();
  });

  it('rejects wrong options, and reports a failing database as STORE_UNAVAILABLE', async () => {
    expect(() => new SqlDeliveryStore({ database: {} as never })).toThrowError(/database/);
    expect(() => new SqlDeliveryStore({ database: {}, prefix: 'my_' } as never)).toThrowError(/no option prefix/);
    expect(() => new SqlDeliveryStore({ database: sqliteDatabase(':memory:'), tablePrefix: 'a;b' })).toThrowError(
      /tablePrefix/,
    );
    const database = { dialect: 'sqlite' as const, query: () => Promise.reject(new Error('gone')) };
    await expect(new SqlDeliveryStore({ database }).pending()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
