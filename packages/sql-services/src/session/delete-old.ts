import type { SqlStorage } from '../client/sql-storage.ts';
import { assertPruneRequest } from './assert-prune-request.ts';
import { pruneEventSteps, findSessionsToPrune } from './prune-events.ts';
import type { PruneRequest } from './prune-events.ts';
import { removeExpiredSteps } from './remove-sessions.ts';

/** Takes the events that a request is about, some at a time, so that others are not kept waiting; how many. */
export async function pruneEvents(storage: SqlStorage, p: PruneRequest): Promise<number> {
  assertPruneRequest(p);
  const { dialect, tables } = storage;
  let count = 0;
  for (let after = 0; ;) {
    const rows = await storage.read(() => findSessionsToPrune(dialect, tables, p, after));
    for (const row of rows) {
      for (let taken = 1; taken > 0; count += taken) {
        taken = await storage.transact(() => pruneEventSteps(dialect, tables, row, p));
      }
    }
    if (rows.length === 0) {
      if (count > 0) await storage.erase();
      return count;
    }
    after = rows.at(-1)!;
  }
}

/** Takes the sessions that have run out, some at a time; how many. */
export async function deleteExpiredSessions(storage: SqlStorage): Promise<number> {
  const { dialect, tables, clock } = storage;
  for (let count = 0; ;) {
    const now = await clock.now();
    const taken = await storage.transact(() => removeExpiredSteps(dialect, tables, now));
    count += taken;
    if (taken > 0) continue;
    if (count > 0) await storage.erase();
    return count;
  }
}
