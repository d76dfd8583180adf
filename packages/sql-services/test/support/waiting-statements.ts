import type { StoredSession, WaitingKind, WaitingRequest } from '@thole/core';
import type { SqlSessionStore } from '@thole/sql-services';
import type { Dialect } from '../../src/dialects/dialect.ts';
import { tableNames } from '../../src/schema/table-names.ts';
import { listWaitingStatement } from '../../src/session/list-waiting.ts';

export const waitingKinds: readonly WaitingKind[] = ['unfinished', 'due', 'interrupts'];

/** Stores `idleCount` sessions without marks, and `waitingCount` sessions of each kind, with timers until `now`. */
export async function fillWithWaiting(
  store: SqlSessionStore,
  { idleCount, waitingCount, now }: { idleCount: number; waitingCount: number; now: number },
): Promise<void> {
  const insert = (id: string, marks: Partial<StoredSession['marks']>): Promise<void> =>
    store.insert({
      key: { appName: 'app', userId: id.startsWith('1') ? 'u1' : 'u2', sessionId: `${id} ${JSON.stringify(marks)}` },
      incarnation: id,
      ...{ initialState: {}, state: {}, appState: {}, userState: {}, appVersion: 0, userVersion: 0, events: [] },
      ...{ createTime: now, lastUpdateTime: now + Number(id), lastSeq: 0 },
      marks: { unfinished: null, wakeAt: null, openInterrupts: 0, ...marks },
      v: 1,
    });
  for (let i = 0; i < idleCount; i++) await insert(`${i}`, {});
  for (let i = 0; i < waitingCount; i++) {
    for (const marks of [{ unfinished: 'i' }, { wakeAt: now - i }, { openInterrupts: 1 }]) await insert(`${i}`, marks);
  }
}

/** Returns queries for pages of waiting sessions with literals, and the name of the index that each query must use. */
export function waitingStatements(dialect: Dialect, tablePrefix: string, now: number): [sql: string, index: string][] {
  // Keeps `?` as the placeholder.
  const plain: Dialect = { ...dialect, statement: (sql) => sql, bindName: (name) => name };
  const requests: Omit<WaitingRequest, 'kind'>[] = [
    { appName: 'app' },
    { appName: 'app', before: now, after: JSON.stringify([now - 9, '7']), limit: 5 },
    { appName: 'app', userId: 'u1' },
  ];
  return waitingKinds.flatMap((kind) =>
    requests.map((request): [string, string] => {
      const tables = tableNames(tablePrefix, undefined);
      const { sql, parameters } = listWaitingStatement(plain, tables, { ...request, kind }, now);
      const remaining = [...parameters];
      const literal = (): string => {
        const value = remaining.shift();
        return typeof value === 'number' ? String(value) : `'${String(value)}'`;
      };
      return [sql.replaceAll('?', literal), `${tablePrefix}sessions_${kind}`];
    }),
  );
}
