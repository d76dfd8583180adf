// Measures appends to SQLite and reads of the newest events. Compares them with bare statements and with small databases.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Event, SessionRef } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { Figures } from '../../../bench/support/figures.ts';
import { clearNursery, cpuOf, inTurns } from '../../../bench/support/measure.ts';
import { eventAt } from '../../../bench/support/ours.ts';

const folder = mkdtempSync(join(tmpdir(), 'sqlite-bench-'));
const batch = 100;
const samples = 60;
const ref = (sessionId: string): SessionRef => ({ appName: 'app', userId: 'u', sessionId });

/** Opens a service on a new file, with one session. */
async function openService(name: string): Promise<{ service: DatabaseSessionService; path: string }> {
  const path = join(folder, name);
  const service = new DatabaseSessionService(`sqlite:///${path}`);
  await service.createSession(ref('s'));
  return { service, path };
}

/** Writes sessions with this number of events each directly to the file, which is faster than the service. */
function fill(path: string, sessions: number, events: number): void {
  const file = new DatabaseSync(path);
  const text = JSON.stringify(eventAt(1));
  const numbers = (count: string): string =>
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  file.exec('BEGIN');
  file
    .prepare(
      `${numbers('?')} INSERT INTO thole_sessions (app_name, user_id, session_id, incarnation, initial_state, state,
        create_time, last_update_time, last_seq, v)
      SELECT 'app', 'u', 'filled-${events}-' || n, 'i' || n, '{}', '{}', 0, n, ?, 1 FROM numbers`,
    )
    .run(sessions, events);
  file
    .prepare(
      `${numbers('?')} INSERT INTO thole_events (session_row, seq, event_key, event_time, event, v)
      SELECT s.row_id, n, 'event-' || s.row_id || '-' || n, n, ?, 1 FROM thole_sessions s, numbers
      WHERE s.session_id LIKE 'filled-${events}-%' ORDER BY s.row_id, n`,
    )
    .run(events, text);
  file.exec('COMMIT');
  file.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  file.close();
}

/** Returns a function that appends events with prepared statements, each in a separate transaction. */
function createBareAppend(path: string): (events: readonly { id: string; text: string }[]) => void {
  const file = new DatabaseSync(path);
  file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  const [begin, commit] = [file.prepare('BEGIN IMMEDIATE'), file.prepare('COMMIT')];
  const check = file.prepare(`SELECT s.row_id, s.last_seq, 1 AS held, e.seq, e.event, e.v
    FROM thole_sessions s LEFT JOIN thole_events e ON e.session_row = s.row_id AND e.event_key = ?
    WHERE s.app_name = ? AND s.user_id = ? AND s.session_id = ? AND (s.expires_at IS NULL OR s.expires_at > ?)`);
  const insert = file.prepare(`INSERT INTO thole_events (session_row, seq, event_key, event_time, event, v)
    VALUES (?, ?, ?, ?, ?, 1)`);
  const update = file.prepare(`UPDATE thole_sessions SET last_seq = ?, last_update_time = MAX(last_update_time, ?),
    expires_at = ? WHERE row_id = ?`);
  return (events) => {
    for (const { id, text } of events) {
      begin.run();
      const row = check.get(id, 'app', 'u', 's', 0) as { row_id: number; last_seq: number };
      insert.run(row.row_id, row.last_seq + 1, id, 1, text);
      update.run(row.last_seq + 1, 1, null, row.row_id);
      commit.run();
    }
  };
}

const [small, big, floor] = [await openService('small.db'), await openService('big.db'), await openService('floor.db')];
fill(small.path, 1, 10);
fill(big.path, 900, 1_000);
fill(big.path, 1, 100_000);
const appendBare = createBareAppend(floor.path);
const costs = { ours: [0], bare: [0], short: [0], long: [0], newestShort: [0], newestLong: [0] };
const [shortSession, longSession] = [ref('filled-10-1'), ref('filled-100000-1')];
const events = (): Event[] => Array.from({ length: batch }, (_, i) => eventAt(i));
const append = async (service: DatabaseSessionService, session: SessionRef, all: Event[]): Promise<void> => {
  for (const event of all) await service.appendEvent({ session, event });
};
const readNewest = async (service: DatabaseSessionService, session: SessionRef): Promise<void> => {
  for (let i = 0; i < batch; i++) await service.getSession({ ...session, numRecentEvents: 10 });
};

for (let sample = -10; sample < samples; sample++) {
  if (sample === 0) for (const cost of Object.values(costs)) cost.length = 0;
  const prepared = events().map((event) => ({ id: event.id, text: JSON.stringify(event) }));
  const [own, short, long] = [events(), events(), events()];
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.ours.push(await cpuOf(batch, () => append(floor.service, ref('s'), own))),
    async () => void costs.bare.push(await cpuOf(batch, async () => appendBare(prepared))),
  ]);
  await inTurns(Math.abs(sample), [
    async () => void costs.short.push(await cpuOf(batch, () => append(small.service, shortSession, short))),
    async () => void costs.long.push(await cpuOf(batch, () => append(big.service, longSession, long))),
  ]);
  await inTurns(Math.abs(sample), [
    async () => void costs.newestShort.push(await cpuOf(batch, () => readNewest(small.service, shortSession))),
    async () => void costs.newestLong.push(await cpuOf(batch, () => readNewest(big.service, longSession))),
  ]);
}

const figures = new Figures();
const of = (name: string, list: number[]): { samples: number[]; of: string } => ({ samples: list, of: name });
figures.compare('SQLite: appendEvent', of('append', costs.ours), of('bare statements', costs.bare), 2);
const scale = '100,000 events in the session and 1,000,000 in the database against few';
figures.compare(`SQLite: appendEvent, ${scale}`, of('many', costs.long), of('few', costs.short), 1.5);
figures.compare(`SQLite: newest 10 events, ${scale}`, of('many', costs.newestLong), of('few', costs.newestShort), 1.5);
await Promise.all([small, big, floor].map(({ service }) => service.close()));
rmSync(folder, { recursive: true, force: true });
figures.end();
