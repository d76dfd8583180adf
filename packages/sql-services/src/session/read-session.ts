import { TholeError } from '@thole/core';
import { decodeText } from '@thole/core/kit';
import type { Event, EventWindow, SessionPage, SessionRef, StateMap, StoredSession, TextCodec } from '@thole/core';
import type { Row, SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { columnText } from './row-values.ts';
import { fromStateDocument } from './state-document.ts';
import { fromStateRows } from './state-writes.ts';

/** More than there can be. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** What a session's own row tells besides its initial state. */
export const headColumns: string =
  's.v AS v, s.incarnation AS incarnation, s.state AS state, s.create_time AS create_time, ' +
  's.last_update_time AS last_update_time, s.last_seq AS last_seq';

/** A session that has not run out: the parameter is the time. */
export const isLive = '(s.expires_at IS NULL OR s.expires_at > ?)';
const isTheSession = `s.app_name = ? AND s.user_id = ? AND s.session_id = ? AND ${isLive}`;

/** Whose row it is, of those that a session is read from. */
const SESSION = 0;
const EVENT = 1;
const OF_APP = 2;
const OF_USER = 3;

/** Reads a session and a window of its events. */
export interface ReadSessionSteps {
  (key: readonly SqlValue[], now: number, window: EventWindow): Steps<readonly Row[]>;
}

/** One statement, so that all of it is of one moment. The window's number counts from the newest, or from the oldest. */
export function readSessionSteps(
  dialect: Dialect,
  tables: TableNames,
  countsFrom: 'newest' | 'oldest',
): ReadSessionSteps {
  const others = 'NULL, NULL, NULL, NULL, NULL';
  const stateRows = (kind: number, table: string, owner: string): string =>
    `UNION ALL SELECT ${kind}, NULL, a.value, a.state_key, NULL, ${others}, a.version FROM ${table} a WHERE ${owner}`;
  const sql = dialect.statement(`SELECT ${SESSION} AS kind, NULL AS seq, NULL AS value, NULL AS state_key,
      s.initial_state AS initial_state, s.incarnation AS incarnation, s.state AS state, s.create_time AS create_time,
      s.last_update_time AS last_update_time, s.last_seq AS last_seq, s.v AS version
    FROM ${tables.sessions} s WHERE ${isTheSession}
    UNION ALL SELECT ${EVENT}, t.seq, t.event, NULL, NULL, ${others}, t.v FROM (
      SELECT e.seq, e.event, e.v FROM ${tables.sessions} s JOIN ${tables.events} e ON e.session_row = s.row_id
      WHERE ${isTheSession} AND e.seq > ? AND e.event_time >= ?
      ORDER BY e.seq ${countsFrom === 'newest' ? 'DESC' : 'ASC'} LIMIT ?
    ) t
    ${stateRows(OF_APP, tables.appStates, 'a.app_name = ?')}
    ${stateRows(OF_USER, tables.userStates, 'a.app_name = ? AND a.user_id = ?')}`);
  return function* (key, now, window) {
    const { afterSeq = 0, afterTimestamp = -Number.MAX_VALUE, numRecentEvents = NO_LIMIT } = window;
    const ofEvents = [...key, now, afterSeq, afterTimestamp, numRecentEvents];
    const { rows } = yield { sql, parameters: [...key, now, ...ofEvents, key[0]!, key[0]!, key[1]!] };
    return rows;
  };
}

/** The session that these rows tell of. */
export async function fromSessionRows(
  codec: TextCodec | undefined,
  key: SessionRef,
  rows: readonly Row[],
): Promise<StoredSession | undefined> {
  const of = (kind: number): Row[] => rows.filter((row) => Number(row['kind']) === kind);
  const [row] = of(SESSION);
  if (!row) return undefined;
  const [app, user] = [await fromStateRows(codec, of(OF_APP)), await fromStateRows(codec, of(OF_USER))];
  const summary = await fromSummaryRow(codec, key, { ...row, v: row['version'] }, { app, user });
  const events: Event[] = [];
  for (const each of of(EVENT).sort((a, b) => Number(a['seq']) - Number(b['seq']))) {
    const read = decodeEvent(codec, columnText(each['value']), Number(each['seq']), Number(each['version']));
    events.push('then' in read ? await read : read);
  }
  return { ...summary, initialState: await fromStateDocument(codec, row['initial_state']), events };
}

/** State as rows told it, and how often it was written. */
export interface CountedState {
  readonly state: StateMap;
  readonly version: number;
}

/** A session without events and initial state. */
export async function fromSummaryRow(
  codec: TextCodec | undefined,
  key: SessionRef,
  row: Row,
  { app, user }: { app: CountedState; user: CountedState },
): Promise<SessionPage['sessions'][number]> {
  const version = Number(row['v']);
  if (version !== 1) throw unknownVersion(`Session ${key.sessionId}`, version);
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
    v: 1,
  };
}

/** An event as it was stored, with its number; at once where there is no codec. */
export function decodeEvent(
  codec: TextCodec | undefined,
  text: string,
  seq: number,
  v: number,
): Event | Promise<Event> {
  if (v !== 1) throw unknownVersion(`Event ${seq} of a session`, v);
  const plain = decodeText(codec, text);
  return typeof plain === 'string' ? numbered(plain, seq) : plain.then((json) => numbered(json, seq));
}

function numbered(json: string, seq: number): Event {
  const event = JSON.parse(json) as Event;
  event.seq = seq;
  return event;
}

function unknownVersion(what: string, version: number): TholeError {
  return new TholeError('STORE_VERSION', `${what} has a record of version ${version}; this package reads version 1.`);
}
