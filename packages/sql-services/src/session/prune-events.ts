import { countPrunableEvents, foldStateDeltas } from '@thole/core/kit';
import type { Event, SessionMarks, TextCodec } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { SqlStorage } from '../client/sql-storage.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { decodeEvent } from './read-session.ts';
import { columnText } from './row-values.ts';
import { fromMarkColumns, selectMarks } from './session-marks.ts';
import { mergeDocument, toStatePatch } from './state-document.ts';

/**
 * Selects the events to delete: of all sessions, or of an app, a user or a session. Requires `olderThan`, `keepLast` or
 * both.
 */
export interface PruneRequest {
  /** Seconds since the epoch. Events at or after this time are kept. */
  olderThan?: number | undefined;
  /** Number of newest events of each session to keep. Default: 0. */
  keepLast?: number | undefined;
  appName?: string | undefined;
  /** Requires `appName`. */
  userId?: string | undefined;
  /** Requires `appName` and `userId`. */
  sessionId?: string | undefined;
}

/** Maximum number of events that one transaction deletes, and that one statement reads. */
const MAX_EVENTS = 1_000;
/** Number of sessions that one statement selects. */
const PAGE = 200;

/** A session and the events that a request selects. */
interface Selection {
  readonly marks: SessionMarks;
  readonly firstSeq: number;
  /** `seq` of the last selected event. */
  readonly lastSelectedSeq: number;
}

/** Returns the rows of the sessions that the request selects, after the row `afterRow`. */
export function* findSessionsToPrune(
  dialect: Dialect,
  tables: TableNames,
  p: PruneRequest,
  afterRow: number,
): Steps<readonly number[]> {
  const filters = [
    ['app_name', p.appName],
    ['user_id', p.userId],
    ['session_id', p.sessionId],
  ].filter((each): each is [string, string] => each[1] !== undefined);
  const conditions = filters.map(([column]) => ` AND ${column} = ?`).join('');
  const sql = dialect.statement(`SELECT row_id FROM ${tables.sessions} WHERE row_id > ?${conditions}
    ORDER BY row_id LIMIT ${PAGE}`);
  const parameters: SqlValue[] = [afterRow, ...filters.map(([, name]) => dialect.bindName(name))];
  const { rows } = yield { sql, parameters };
  return rows.map((row) => Number(row['row_id']));
}

/**
 * Deletes the selected events that the session no longer needs. Applies their changes to the initial state in the same
 * transactions. Returns their count. Events are decoded between reading and deleting. If the session was pruned or its marks
 * changed meanwhile, the events are selected again.
 */
export async function pruneSession(
  storage: SqlStorage,
  row: number,
  p: PruneRequest,
  codec: TextCodec | undefined,
): Promise<number> {
  const { dialect, tables } = storage;
  for (let count = 0; ;) {
    const selection = await storage.read(() => selectEvents(dialect, tables, row, p));
    if (!selection) return count;
    const events = await readEvents(storage, row, selection.firstSeq, codec);
    const selected = events.filter((event) => event.seq! <= selection.lastSelectedSeq).length;
    const prunable = countPrunableEvents(events, { count: selected, marks: selection.marks });
    if (prunable === 0) return count;
    let deleted = 0;
    while (deleted < prunable) {
      const batch = events.slice(deleted, Math.min(prunable, deleted + MAX_EVENTS));
      const patch = await toStatePatch(codec, foldStateDeltas(batch));
      const steps = (): Steps<number> => deleteEvents(dialect, tables, { row, marks: selection.marks, batch, patch });
      const changes = await storage.transact(steps);
      if (changes === 0) break;
      deleted += changes;
    }
    count += deleted;
    if (deleted === prunable) return count;
  }
}

/** Returns undefined if the session does not exist or no event is selected. */
function* selectEvents(
  dialect: Dialect,
  tables: TableNames,
  row: number,
  { olderThan, keepLast = 0 }: PruneRequest,
): Steps<Selection | undefined> {
  const found = yield* findSession(dialect, tables, row);
  if (!found || found.firstSeq === undefined) return undefined;
  const { marks, firstSeq } = found;
  let lastSelectedSeq = found.lastSeq - keepLast;
  if (olderThan !== undefined && lastSelectedSeq >= firstSeq) {
    const findFirstKept = dialect.statement(`SELECT seq FROM ${tables.events}
      WHERE session_row = ? AND seq <= ? AND event_time >= ? ORDER BY seq LIMIT 1`);
    const [first] = (yield { sql: findFirstKept, parameters: [row, lastSelectedSeq, olderThan] }).rows;
    if (first) lastSelectedSeq = Number(first['seq']) - 1;
  }
  return lastSelectedSeq < firstSeq ? undefined : { marks, firstSeq, lastSelectedSeq };
}

async function readEvents(
  storage: SqlStorage,
  row: number,
  firstSeq: number,
  codec: TextCodec | undefined,
): Promise<Event[]> {
  const { dialect, tables } = storage;
  const sql = dialect.statement(`SELECT seq, event, v FROM ${tables.events} WHERE session_row = ? AND seq >= ?
    ORDER BY seq LIMIT ${MAX_EVENTS}`);
  const read = function* (from: number): Steps<readonly Row[]> {
    return (yield { sql, parameters: [row, from] }).rows;
  };
  const events: Event[] = [];
  for (let from = firstSeq; ; from = events.at(-1)!.seq! + 1) {
    const rows = await storage.read(() => read(from));
    for (const { seq, event, v } of rows) {
      events.push(await decodeEvent(codec, columnText(event), Number(seq), Number(v)));
    }
    if (rows.length < MAX_EVENTS) return events;
  }
}

/** Deletes the oldest events of a session. Returns 0 if `batch` is not the oldest, or if the marks have changed. */
function* deleteEvents(
  dialect: Dialect,
  tables: TableNames,
  p: { row: number; marks: SessionMarks; batch: readonly Event[]; patch: string | undefined },
): Steps<number> {
  const { row, marks, batch, patch } = p;
  const found = yield* findSession(dialect, tables, row, { lock: true });
  if (!found || found.firstSeq !== batch[0]!.seq || !equalMarks(found.marks, marks)) return 0;
  if (patch !== undefined) {
    // Merged here, because a batch can write many keys. SQLite and MariaDB merge them in quadratic time.
    const read = dialect.statement(`SELECT initial_state FROM ${tables.sessions} WHERE row_id = ?`);
    const { rows } = yield { sql: read, parameters: [row] };
    const update = dialect.statement(
      `UPDATE ${tables.sessions} SET initial_state = ${dialect.newDocument} WHERE row_id = ?`,
    );
    yield { sql: update, parameters: [mergeDocument(rows[0]!['initial_state'], patch), row] };
  }
  const remove = dialect.statement(`DELETE FROM ${tables.events} WHERE session_row = ? AND seq <= ?`);
  return (yield { sql: remove, parameters: [row, batch.at(-1)!.seq!] }).changes;
}

function* findSession(
  dialect: Dialect,
  tables: TableNames,
  row: number,
  { lock = false }: { lock?: boolean } = {},
): Steps<{ marks: SessionMarks; lastSeq: number; firstSeq: number | undefined } | undefined> {
  const find = dialect.statement(`SELECT s.last_seq AS last_seq, ${selectMarks}
    FROM ${tables.sessions} s WHERE s.row_id = ?${lock ? dialect.forUpdate : ''}`);
  const [session] = (yield { sql: find, parameters: [row] }).rows;
  if (!session) return undefined;
  const first = dialect.statement(`SELECT seq FROM ${tables.events} WHERE session_row = ? ORDER BY seq LIMIT 1`);
  const [event] = (yield { sql: first, parameters: [row] }).rows;
  return {
    marks: fromMarkColumns(session),
    lastSeq: Number(session['last_seq']),
    firstSeq: event && Number(event['seq']),
  };
}

function equalMarks(a: SessionMarks, b: SessionMarks): boolean {
  return a.unfinished === b.unfinished && a.wakeAt === b.wakeAt && a.openInterrupts === b.openInterrupts;
}
