import { checkName, invalidInput, isPlainObject, orAborted, refuseUnknown, TholeError } from '@thole/core';
import type { Call, MemoryEntry, MemoryFilter, MemoryStore, UserRef } from '@thole/core';
import { checkFilter } from './check-memory.ts';

/** Which memory is too old to be kept: of an app, or of one of its users. */
export interface PruneMemoriesRequest extends Call {
  appName: string;
  userId?: string | undefined;
  /** Seconds since the epoch: entries from then on stay, as do those without a time. */
  olderThan: number;
  /** Entries of these kinds alone. */
  kinds?: readonly MemoryEntry['kind'][] | undefined;
}

/** What lets go of entries as `deleteMemory` does, and answers how many went. */
type Forget = (p: UserRef & { ids: readonly string[]; keepEvidence: boolean } & Call) => Promise<number>;

/** How many users are looked up, and how many entries are taken, at a time. */
const [USERS, ENTRIES] = [200, 500];

/** Removes what is too old, some at a time; how many entries went. `INVALID_INPUT` for a whole app where the store knows no users. */
export async function pruneMemories(store: MemoryStore, forget: Forget, p: PruneMemoriesRequest): Promise<number> {
  check(p);
  p.signal?.throwIfAborted();
  const { appName, userId, signal } = p;
  if (userId !== undefined) return pruneUser(store, forget, { appName, userId }, p);
  const { users } = store.abilities;
  if (!users) throw new TholeError('INVALID_INPUT', 'userId must be given: this memory store tells of no users.');
  let count = 0;
  for (let cursor: string | undefined; ;) {
    const { userIds, next } = await orAborted(users.listUsers(appName, { limit: USERS, cursor }), signal);
    for (const each of userIds) count += await pruneUser(store, forget, { appName, userId: each }, p);
    if (next === undefined) return count;
    cursor = next;
  }
}

async function pruneUser(store: MemoryStore, forget: Forget, user: UserRef, p: PruneMemoriesRequest): Promise<number> {
  const { olderThan, kinds, signal } = p;
  const filter: MemoryFilter = { to: olderThan, kinds };
  for (let count = 0; ;) {
    const { memories } = await orAborted(store.list(user, { limit: ENTRIES, filter }), signal);
    if (memories.length === 0) return count;
    const ids = memories.map(({ entry }) => entry.id);
    // What an old fact rests on may be young.
    count += await forget({ ...user, ids, keepEvidence: true, signal });
  }
}

function check(p: PruneMemoriesRequest): void {
  const given: unknown = p;
  if (!isPlainObject(given)) throw invalidInput('The request', 'an object with appName and olderThan', given);
  refuseUnknown(p, ['appName', 'userId', 'olderThan', 'kinds', 'signal'], 'pruneMemories');
  checkName('appName', p.appName);
  if (p.userId !== undefined) checkName('userId', p.userId);
  if (!Number.isFinite(p.olderThan)) throw invalidInput('olderThan', 'a number of seconds', p.olderThan);
  checkFilter({ kinds: p.kinds });
}
