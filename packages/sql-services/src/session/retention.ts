import type { TextCodec } from '@thole/core';
import type { SqlStorage } from '../client/sql-storage.ts';
import { assertPruneRequest } from './assert-prune-request.ts';
import { findSessionsToPrune, pruneSession } from './prune-events.ts';
import type { PruneRequest } from './prune-events.ts';
import { removeExpiredSteps, removeOldLeases } from './remove-sessions.ts';

/**
 * Deletes the events that a request selects and that their sessions no longer need, in small transactions. Returns their
 * count.
 */
export async function pruneEvents(storage: SqlStorage, p: PruneRequest, codec: TextCodec | undefined): Promise<number> {
  assertPruneRequest(p);
  const { dialect, tables } = storage;
  let count = 0;
  for (let after = 0; ;) {
    const rows = await storage.read(() => findSessionsToPrune(dialect, tables, p, after));
    for (const row of rows) count += await pruneSession(storage, row, p, codec);
    if (rows.length === 0) {
      if (count > 0) await storage.erase();
      return count;
    }
    after = rows.at(-1)!;
  }
}

/** Deletes all expired sessions, in small transactions, and old leases. Returns the count of sessions. */
export async function deleteExpiredSessions(storage: SqlStorage): Promise<number> {
  const { dialect, tables, clock } = storage;
  for (let count = 0; ;) {
    const now = await clock.now();
    const deleted = await storage.transact(() => removeExpiredSteps(dialect, tables, now));
    count += deleted;
    if (deleted > 0) continue;
    await storage.transact(() => removeOldLeases(dialect, tables, now));
    if (count > 0) await storage.erase();
    return count;
  }
}
