import type { SqlStorage } from '../client/sql-storage.ts';
import { assertPruneRequest } from './assert-prune-request.ts';
import { findSessionsToPrune, pruneEventSteps } from './prune-events.ts';
import type { PruneRequest } from './prune-events.ts';
import { removeExpiredSteps } from './remove-sessions.ts';

/** Deletes the events that a request selects, in small transactions. Returns their count. */
export async function pruneEvents(storage: SqlStorage, p: PruneRequest): Promise<number> {
  assertPruneRequest(p);
  const { dialect, tables } = storage;
  let count = 0;
  for (let after = 0; ;) {
    const rows = await storage.read(() => findSessionsToPrune(dialect, tables, p, after));
    for (const row of rows) {
      for (let deleted = 1; deleted > 0; count += deleted) {
        deleted = await storage.transact(() => pruneEventSteps(dialect, tables, row, p));
      }
    }
    if (rows.length === 0) {
      if (count > 0) await storage.erase();
      return count;
    }
    after = rows.at(-1)!;
  }
}

/** Deletes all expired sessions, in small transactions. Returns their count. */
export async function deleteExpiredSessions(storage: SqlStorage): Promise<number> {
  const { dialect, tables, clock } = storage;
  for (let count = 0; ;) {
    const now = await clock.now();
    const deleted = await storage.transact(() => removeExpiredSteps(dialect, tables, now));
    count += deleted;
    if (deleted > 0) continue;
    if (count > 0) await storage.erase();
    return count;
  }
}
