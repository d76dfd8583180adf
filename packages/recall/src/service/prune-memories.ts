import { TholeError } from '@thole/core';
import { assertName, invalidInput, isPlainObject, memoryKeyOf, raceAbort, rejectUnknownOptions } from '@thole/core/kit';
import type { CallOptions, MemoryEntry, MemoryScope, MemoryStore } from '@thole/core';
import type { StoredMemoryFilter } from '@thole/core/kit';
import { assertFilter } from './assert-memory.ts';

/** Which entries to delete: expired ones and old ones, of an app or of one of its users. */
export interface PruneMemoriesRequest extends CallOptions {
  appName: string;
  userId?: string | undefined;
  /** Seconds since the epoch: older entries are deleted; those without a time stay. Default: only expired entries are deleted. */
  olderThan?: number | undefined;
  /** Entries of these kinds alone. */
  kinds?: readonly MemoryEntry['kind'][] | undefined;
}

/** Deletes entries of a key as `deleteMemory` does, and returns how many were deleted. */
type Forget = (scope: MemoryScope, ids: readonly string[], call: CallOptions) => Promise<number>;

/** How many users are looked up, and how many entries are taken, at a time. */
const [USERS, ENTRIES] = [200, 500];

/**
 * Deletes what has expired by `now` or is too old, some entries at a time, and returns how many. Throws `INVALID_INPUT` for a whole
 * app if the store cannot list users.
 */
export async function pruneMemories(
  { store, forget, now }: { store: MemoryStore; forget: Forget; now: number },
  p: PruneMemoriesRequest,
): Promise<number> {
  check(p);
  p.signal?.throwIfAborted();
  const { appName, userId, signal } = p;
  const filters: StoredMemoryFilter[] = [{ expiredAt: now, kinds: p.kinds }];
  if (p.olderThan !== undefined) filters.push({ to: p.olderThan, kinds: p.kinds });
  const pruneUser = (scope: MemoryScope): Promise<number> => pruneScope({ store, forget, scope, filters, signal });
  if (userId !== undefined) return pruneUser(memoryKeyOf({ appName, userId }, undefined));
  const { users } = store.abilities;
  if (!users) throw new TholeError('INVALID_INPUT', 'userId must be given: this memory store tells of no users.');
  let count = 0;
  for (let cursor: string | undefined; ;) {
    const { userIds, next } = await raceAbort(users.listUsers(appName, { limit: USERS, cursor }), signal);
    for (const each of userIds) count += await pruneUser({ appName, userId: each });
    if (next === undefined) return count;
    cursor = next;
  }
}

async function pruneScope(p: {
  store: MemoryStore;
  forget: Forget;
  scope: MemoryScope;
  filters: readonly StoredMemoryFilter[];
  signal: AbortSignal | undefined;
}): Promise<number> {
  const { store, forget, scope, signal } = p;
  let count = 0;
  for (const filter of p.filters) {
    for (;;) {
      const { memories } = await raceAbort(store.list(scope, { limit: ENTRIES, filter }), signal);
      if (memories.length === 0) break;
      const ids = memories.map(({ entry }) => entry.id);
      count += await forget(scope, ids, { signal });
    }
  }
  return count;
}

function check(p: PruneMemoriesRequest): void {
  const given: unknown = p;
  if (!isPlainObject(given)) throw invalidInput('The request', 'an object with appName', given);
  rejectUnknownOptions(p, ['appName', 'userId', 'olderThan', 'kinds', 'signal'], 'pruneMemories');
  assertName('appName', p.appName);
  if (p.userId !== undefined) assertName('userId', p.userId);
  if (p.olderThan !== undefined && !Number.isFinite(p.olderThan))
    throw invalidInput('olderThan', 'a number of seconds', p.olderThan);
  assertFilter({ kinds: p.kinds });
}
