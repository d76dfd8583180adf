import { TholeError } from '@thole/core';
import { decodeText, fromEventText } from '@thole/core/kit';
import type {
  Event,
  EventWindow,
  ForkOrigin,
  SessionPage,
  SessionRef,
  StateMap,
  StoredSession,
  TextCodec,
} from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { columnText, columnTextOrUndefined, parseStored } from './row-values.ts';
import { fromMarkColumns, selectMarks } from './session-marks.ts';
import { fromStateDocument } from './state-document.ts';
import { fromStateRows } from './state-writes.ts';

/** Greater than any count of events. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Columns of a session's row, without its initial state. */
export const summaryColumns: string =
  's.v AS v, s.incarnation AS incarnation, s.state AS state, s.create_time AS create_time, ' +
  `s.last_update_time AS last_update_time, s.last_seq AS last_seq, s.forked_from AS forked_from, ${selectMarks}`;

/** SQL condition for a session that has not expired. The parameter is the time. */
export const notExpired = '(s.expires_at IS NULL OR s.expires_at > ?)';
const sessionCondition = `s.app_name = ? AND s.user_id = ? AND s.session_id = ? AND ${notExpired}`;

/** Kinds of the rows that a session is read from. */
const SESSION = 0;
const EVENT = 1;
const APP_STATE = 2;
const USER_STATE = 3;

/** Reads the rows of a session and of a window of its events. */
export interface ReadSessionSteps {
  (key: readonly SqlValue[], now: number, window: EventWindow): Steps<readonly Row[]>;
}

/**
 * Returns the steps that read a session: one statement, so that all rows are of one state of the database. `numRecentEvents`
 * selects the newest or the oldest events of the window.
 */
export function readSessionSteps(dialect: Dialect, tables: TableNames, selects: 'newest' | 'oldest'): ReadSessionSteps {
  const noSession = 'NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL';
  const stateRows = (kind: number, table: string, owner: string): string =>
    `UNION ALL SELECT ${kind}, NULL, a.value, a.state_key, ${noSession}, a.version FROM ${table} a WHERE ${owner}`;
  const sql = dialect.statement(`SELECT ${SESSION} AS kind, NULL AS seq, NULL AS value, NULL AS state_key,
      s.initial_state AS initial_state, s.incarnation AS incarnation, s.state AS state, s.create_time AS create_time,
      s.last_update_time AS last_update_time, s.last_seq AS last_seq, s.forked_from AS forked_from, ${selectMarks},
      s.v AS version
    FROM ${tables.sessions} s WHERE ${sessionCondition}
    UNION ALL SELECT ${EVENT}, t.seq, t.event, NULL, ${noSession}, t.v FROM (
      SELECT e.seq, e.event, e.v FROM ${tables.sessions} s JOIN ${tables.events} e ON e.session_row = s.row_id
      WHERE ${sessionCondition} AND e.seq > ? AND e.event_time >= ?
      ORDER BY e.seq ${selects === 'newest' ? 'DESC' : 'ASC'} LIMIT ?
    ) t
    ${stateRows(APP_STATE, tables.appStates, 'a.app_name = ?')}
    ${stateRows(USER_STATE, tables.userStates, 'a.app_name = ? AND a.user_id = ?')}`);
  return function* (key, now, window) {
    const { afterSeq = 0, afterTimestamp = -Number.MAX_VALUE, numRecentEvents = NO_LIMIT } = window;
    const eventParameters = [...key, now, afterSeq, afterTimestamp, numRecentEvents];
    const { rows } = yield { sql, parameters: [...key, now, ...eventParameters, key[0]!, key[0]!, key[1]!] };
    return rows;
  };
}

/** Converts the rows to a session. Returns undefined if there is no row of a session. */
export async function fromSessionRows(
  codec: TextCodec | undefined,
  key: SessionRef,
  rows: readonly Row[],
): Promise<StoredSession | undefined> {
  const rowsOf = (kind: number): Row[] => rows.filter((row) => Number(row['kind']) === kind);
  const [row] = rowsOf(SESSION);
  if (!row) return undefined;
  const [app, user] = [await fromStateRows(codec, rowsOf(APP_STATE)), await fromStateRows(codec, rowsOf(USER_STATE))];
  const summary = await fromSummaryRow(codec, key, { ...row, v: row['version'] }, { app, user });
  const events: Event[] = [];
  for (const each of rowsOf(EVENT).sort((a, b) => Number(a['seq']) - Number(b['seq']))) {
    const read = decodeEvent(codec, columnText(each['value']), Number(each['seq']), Number(each['version']));
    events.push('then' in read ? await read : read);
  }
  return { ...summary, initialState: await fromStateDocument(codec, row['initial_state']), events };
}

/** A state and the count of its writes. */
export interface CountedState {
  readonly state: StateMap;
  readonly version: number;
}

/** Returns a session without events and initial state. Throws `STORE_VERSION` for an unknown version of the record. */
export async function fromSummaryRow(
  codec: TextCodec | undefined,
  key: SessionRef,
  row: Row,
  { app, user }: { app: CountedState; user: CountedState },
): Promise<SessionPage['sessions'][number]> {
  const version = Number(row['v']);
  if (version !== 1) throw unknownVersion(`Session ${key.sessionId}`, version);
  const forkedFrom = columnTextOrUndefined(row['forked_from']);
  return {
    key: { ...key },
    incarnation: columnText(row['incarnation']),
    state: await fromStateDocument(codec, row['state']),
    appState: app.state,
    userState: user.state,
    appVersion: app.version,
    userVersion: user.version,
    createTime: Number(row['create_time']),
    lastUpdateTime: Number(row['last_update_time']),
    lastSeq: Number(row['last_seq']),
    marks: fromMarkColumns(row),
    ...(forkedFrom !== undefined && { forkedFrom: JSON.parse(forkedFrom) as ForkOrigin }),
    v: 1,
  };
}

/** Returns a stored event with its `seq`: directly without a codec, otherwise as a promise. */
export function decodeEvent(
  codec: TextCodec | undefined,
  text: string,
  seq: number,
  v: number,
): Event | Promise<Event> {
  if (v !== 1) throw unknownVersion(`Event ${seq} of a session`, v);
  const plain = decodeText(codec, text);
  return typeof plain === 'string' ? parseEvent(plain, seq) : plain.then((json) => parseEvent(json, seq));
}

function parseEvent(json: string, seq: number): Event {
  const event = parseStored(`Event ${seq} of a session`, json, fromEventText);
  event.seq = seq;
  return event;
}

function unknownVersion(record: string, version: number): TholeError {
  return new TholeError('STORE_VERSION', `${record} has a record of version ${version}; this package reads version 1.`);
}
