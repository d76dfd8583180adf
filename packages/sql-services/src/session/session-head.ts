import type { SessionHead } from '@thole/core';
import type { SqlValue, Steps } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { TableNames } from '../schema/table-names.ts';
import { toEventId } from './event-key.ts';
import { columnText, columnTextOrUndefined } from './row-values.ts';

/** Reads the versions of a session's data. Returns undefined if the session does not exist. */
export function* readSessionHead(
  dialect: Dialect,
  { sessions, events, appStates, userStates }: TableNames,
  key: readonly SqlValue[],
  now: number,
): Steps<SessionHead | undefined> {
  const sql = `SELECT s.incarnation AS incarnation, s.last_seq AS last_seq, e.event_key AS event_key, a.version AS app_version, u.version AS user_version
    FROM ${sessions} s LEFT JOIN ${events} e ON e.session_row = s.row_id AND e.seq = s.last_seq
    LEFT JOIN ${appStates} a ON a.app_name = s.app_name AND a.key_hash = ''
    LEFT JOIN ${userStates} u ON u.app_name = s.app_name AND u.user_id = s.user_id AND u.key_hash = ''
    WHERE s.app_name = ? AND s.user_id = ? AND s.session_id = ? AND (s.expires_at IS NULL OR s.expires_at > ?)`;
  const [row] = (yield { sql: dialect.statement(sql), parameters: [...key, now] }).rows;
  return (
    row && {
      incarnation: columnText(row['incarnation']),
      lastSeq: Number(row['last_seq']),
      lastEventId: toEventId(columnTextOrUndefined(row['event_key'])),
      appVersion: Number(row['app_version'] ?? 0),
      userVersion: Number(row['user_version'] ?? 0),
    }
  );
}
