import { checkName, invalidInput, isPlainObject, refuseUnknown } from '@thole/core';
import type { MemoryEntry, MemoryFilter, UserRef } from '@thole/core';
import type { StoredMemoryService } from '@thole/recall';
import type { SqlMemoryStore } from './sql-memory-store.ts';

/** Which memory is too old to be kept: of an app, or of one of its users. */
export interface PruneMemoriesRequest {
  appName: string;
  userId?: string | undefined;
  /** Seconds since the epoch: entries from then on stay, as do those without a time. */
  olderThan: number;
  /** Entries of these kinds alone. */
  kinds?: readonly MemoryEntry['kind'][] | undefined;
}

/** How many users are looked up, and how many entries are taken, at a time. */
const [USERS, ENTRIES] = [200, 500];

/** Removes what is too old, some at a time, as `deleteMemory` does; how many entries went. */
export async function pruneMemories(
  service: StoredMemoryService,
  store: SqlMemoryStore,
  p: PruneMemoriesRequest,
): Promise<number> {
  check(p);
  const { appName, userId } = p;
  if (userId !== undefined) return pruneUser(service, store, { appName, userId }, p);
  let count = 0;
  for (let after: number | undefined = 0; after !== undefined;) {
    const { userIds, next }: { userIds: string[]; next: number | undefined } = await store.users(appName, after, USERS);
    for (const each of userIds) count += await pruneUser(service, store, { appName, userId: each }, p);
    after = next;
  }
  return count;
}

async function pruneUser(
  service: StoredMemoryService,
  store: SqlMemoryStore,
  user: UserRef,
  { olderThan, kinds }: PruneMemoriesRequest,
): Promise<number> {
  const filter: MemoryFilter = { to: olderThan, kinds };
  for (let count = 0; ;) {
    const { memories } = await store.list(user, { limit: ENTRIES, filter });
    if (memories.length === 0) return count;
    const ids = memories.map(({ entry }) => entry.id);
    // What an old fact rests on may be young.
    count += await service.deleteMemory({ ...user, ids, keepEvidence: true });
  }
}

function check(p: PruneMemoriesRequest): void {
  const given: unknown = p;
  if (!isPlainObject(given)) throw invalidInput('The request', 'an object with appName and olderThan', given);
  refuseUnknown(p, ['appName', 'userId', 'olderThan', 'kinds'], 'pruneMemories');
  checkName('appName', p.appName);
  if (p.userId !== undefined) checkName('userId', p.userId);
  if (!Number.isFinite(p.olderThan)) throw invalidInput('olderThan', 'a number of seconds', p.olderThan);
  const { kinds } = p;
  if (
    kinds !== undefined &&
    !(Array.isArray(kinds) && kinds.every((kind) => /^(turn|fact|note)$/.test(String(kind))))
  ) {
    throw invalidInput('kinds', `an array of 'turn', 'fact' and 'note'`, kinds);
  }
}
