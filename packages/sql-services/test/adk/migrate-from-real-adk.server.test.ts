import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSessionService, migrateFromAdk } from '@thole/sql-services';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { readOutput, startProcess } from '../support/start-process.ts';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };

/** Writes sessions with ADK. Returns the events that ADK reads. */
async function fillWithAdk(...args: string[]): Promise<{ id: string; timestamp: number }[]> {
  const { lines, code } = await readOutput(startProcess('../adk/fill-adk-database.ts', ...args));
  expect(code).toBe(0);
  return JSON.parse(lines.at(-1)!) as { id: string; timestamp: number }[];
}

async function checkCopy(adkEvents: { id: string; timestamp: number }[], dbUrl: string): Promise<void> {
  const service = new DatabaseSessionService(dbUrl);
  onTestFinished(() => service.close());
  const session = (await service.getSession(ref))!;
  expect(session.state).toEqual({ first: 1, camelKey: { snake_key: 1 }, 'user:b': { snake_key: 2 }, 'app:c': 3 });
  expect(session.events.map((event) => [event.id, event.seq, event.timestamp])).toEqual(
    adkEvents.map(({ id, timestamp }, i) => [id, i + 1, timestamp / 1000]),
  );
  const [message, call, summary] = session.events;
  expect(message!.content).toEqual({ role: 'user', parts: [{ text: 'Hi' }] });
  expect(call).toMatchObject({
    author: 'root',
    content: { parts: [{ functionCall: { name: 'look_up', args: { camelArg: { snake_arg: 1 } } } }] },
    actions: { artifactDelta: { 'a_b.txt': 0 }, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
  });
  expect(call!.actions.stateDelta).toEqual({ camelKey: { snake_key: 1 } });
  expect(summary).toMatchObject({ author: 'system', actions: { compaction: { eventIds: [message!.id] } } });
  expect(summary!.content).toBeUndefined();
  expect((await service.listSessions({ appName: 'app' })).total).toBe(2);
}

describeWith('postgres', 'migrateFromAdk from databases of the ADK package', (dbUrl) => {
  it('copies a SQLite file', { timeout: 180_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'real-adk-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'adk.db');
    const adkEvents = await fillWithAdk('--path', path);
    const [from, to] = [{ dbUrl: `sqlite:///${path}` }, { dbUrl: `sqlite:///${path}.ours` }];
    expect(await migrateFromAdk({ from, to })).toEqual({ sessions: 2, events: 3, skipped: 0 });
    await checkCopy(adkEvents, to.dbUrl);
  });

  it('copies a PostgreSQL database into itself', { timeout: 180_000 }, async () => {
    const admin = new pg.Pool({ connectionString: dbUrl });
    await admin.query('DROP DATABASE IF EXISTS adk');
    await admin.query('CREATE DATABASE adk');
    await admin.end();
    const url = new URL(dbUrl);
    url.pathname = '/adk';
    const adkEvents = await fillWithAdk('--url', url.href);
    const database = { dbUrl: url.href };
    expect(await migrateFromAdk({ from: database, to: database })).toEqual({ sessions: 2, events: 3, skipped: 0 });
    await checkCopy(adkEvents, database.dbUrl);
  });
});
