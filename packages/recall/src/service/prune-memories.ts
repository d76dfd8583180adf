import { TholeError } from '@thole/core';
import {
  assertSeconds,
  assertName,
  invalidInput,
  isPlainObject,
  memoryKeyOf,
  optionNames,
  raceAbort,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { CallOptions, MemoryEntry, MemoryScope, MemoryStore } from '@thole/core';
import type { StoredMemoryFilter } from '@thole/core/kit';
import { assertFilter } from './assert-memory.ts';

/** A request to delete expired and old entries of an app or of one of its users. */
export interface PruneMemoriesRequest extends CallOptions {
  appName: string;
  userId?: string | undefined;
  /** Time in seconds. Older entries are deleted; entries without a time are kept. Default: only expired entries are deleted. */
  olderThan?: number | undefined;
  /** Kinds of entries to delete. Default: all. */
  kinds?: readonly MemoryEntry['kind'][] | undefined;
}

const pruneRequestNames = optionNames<PruneMemoriesRequest>({
  appName: true,
  userId: true,
  olderThan: true,
  kinds: true,
  signal: true,
});

/** Deletes entries of a user as `deleteMemory` does and returns the number of deleted entries. */
type DeleteEntries = (scope: MemoryScope, ids: readonly string[], call: CallOptions) => Promise<number>;

const USERS_PER_READ = 200;
const ENTRIES_PER_READ = 500;

/**
 * Deletes entries that have expired at `now` or are too old, and returns the number of deleted entries. Throws `INVALID_INPUT` for
 * a whole app if the store cannot list users.
 */
export async function pruneMemories(
  { store, deleteEntries, now }: { store: MemoryStore; deleteEntries: DeleteEntries; now: number },
  p: PruneMemoriesRequest,
): Promise<number> {
  assertRequest(p);
  p.signal?.throwIfAborted();
  const { appName, userId, signal } = p;
  const filters: StoredMemoryFilter[] = [{ expiredAt: now, kinds: p.kinds }];
  if (p.olderThan !== undefined) filters.push({ to: p.olderThan, kinds: p.kinds });
  const pruneUser = (scope: MemoryScope): Promise<number> =>
    pruneScope({ store, deleteEntries, scope, filters, signal });
  if (userId !== undefined) return pruneUser(memoryKeyOf({ appName, userId }, undefined));
  const { users } = store.abilities;
  if (!users)
    throw new TholeError('INVALID_INPUT', 'userId must be given, because this memory store cannot list users.');
  let count = 0;
  for (let cursor: string | undefined; ;) {
    const { userIds, next } = await raceAbort(users.listUsers(appName, { limit: USERS_PER_READ, cursor }), signal);
    for (const id of userIds) count += await pruneUser({ appName, userId: id });
    if (next === undefined) return count;
    cursor = next;
  }
}

async function pruneScope(p: {
  store: MemoryStore;
  deleteEntries: DeleteEntries;
  scope: MemoryScope;
  filters: readonly StoredMemoryFilter[];
  signal: AbortSignal | undefined;
}): Promise<number> {
  const { store, deleteEntries, scope, signal } = p;
  let count = 0;
  for (const filter of p.filters) {
    for (;;) {
      const { memories } = await raceAbort(store.list(scope, { limit: ENTRIES_PER_READ, filter }), signal);
      if (memories.length === 0) break;
      const ids = memories.map(({ entry }) => entry.id);
      count += await deleteEntries(scope, ids, { signal });
    }
  }
  return count;
}

function assertRequest(p: PruneMemoriesRequest): void {
  const request: unknown = p;
  if (!isPlainObject(request)) throw invalidInput('The request', 'an object with appName', request);
  rejectUnknownOptions(p, pruneRequestNames, 'pruneMemories');
  assertName('appName', p.appName);
  if (p.userId !== undefined) assertName('userId', p.userId);
  if (p.olderThan !== undefined) assertSeconds('olderThan', p.olderThan);
  assertFilter({ kinds: p.kinds });
}
