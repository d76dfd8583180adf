import type {
  MemoryChanges,
  MemoryEntry,
  MemoryPage,
  MemoryPageRequest,
  MemoryPutMode,
  MemoryRemoval,
  MemoryScope,
  MemoryStore,
  MemoryUsers,
  Runtime,
  IndexSnapshots,
  StoredMemory,
  TextCodec,
} from '@thole/core';
import { matchesFilter } from '@thole/recall';
import { seqOfCursor } from '@thole/recall/kit';
import { openRedis } from '../client/open-redis.ts';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisClient } from '../client/redis-client.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import type { RedisOptions } from '../client/redis-options.ts';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptCall, ScriptReply } from '../client/script-call.ts';
import { assertLogVersion } from './assert-log-version.ts';
import { fromElement, toElement } from './memory-element.ts';
import { RedisIndexSnapshots } from './redis-index-snapshots.ts';

const addMemoryUser = redisScript('memory/add-memory-user');
const findNewMemories = redisScript('memory/find-new-memories');
const getMemories = redisScript('memory/get-memories');
const listMemories = redisScript('memory/list-memories');
const listMemoryUsers = redisScript('memory/list-memory-users');
const putMemories = redisScript('memory/put-memories');
const readMemoriesAfter = redisScript('memory/read-memories-after');
const removeMemories = redisScript('memory/remove-memories');

/** Maximum number of entries in one reply. */
const PAGE = 500;

/**
 * Stores memory in Redis. Each step is one atomic script, and all keys of a user are in the user's slot. A user is added
 * to the app's list of users with memory before the first write.
 */
export class RedisMemoryStore implements MemoryStore {
  readonly specVersion = 1;
  readonly abilities: { readonly segmented: IndexSnapshots; readonly users: MemoryUsers };
  readonly #runtime: Runtime;
  readonly #keys: RedisKeys;
  readonly #calls: RedisCalls;
  readonly #codec: TextCodec | undefined;

  constructor(client: RedisClient, options: RedisOptions = {}) {
    const { calls, keys, runtime, codec } = openRedis(client, options, 'RedisMemoryStore');
    this.#runtime = runtime;
    this.#keys = keys;
    this.#calls = calls;
    this.#codec = codec;
    this.abilities = {
      segmented: new RedisIndexSnapshots(calls, keys, codec),
      users: { listUsers: (appName, page) => this.#listUsers(appName, page) },
    };
  }

  put(
    scope: MemoryScope,
    entries: readonly MemoryEntry[],
    mode: MemoryPutMode,
  ): Promise<{ written: readonly string[]; seq: number }> {
    return this.#calls.withDeadline(() => this.#put(scope, entries, mode), { isWriting: true });
  }

  async since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
    const { head, log, entries, writeIds } = this.#keys.memory(scope);
    const call = { script: readMemoriesAfter, keys: [head, log, entries, writeIds], args: [seq, limit + 1] };
    const reply = (await this.#calls.read(call)) as string[];
    assertLogVersion(reply);
    const [removals = 0, lastSeq = '', lastId = '', lastWriteId = '', ...values] = reply;
    const previous =
      lastSeq === ''
        ? null
        : { seq: Number(lastSeq), id: JSON.parse(lastId) as string, writeId: lastWriteId || undefined };
    const changes: MemoryChanges['changes'] = [];
    for (let i = 0; i < values.length && changes.length < limit; i += 4) {
      const [changeSeq, id, element] = [values[i]!, values[i + 1]!, values[i + 2]!];
      const writeId = values[i + 3] || undefined;
      if (element === '') changes.push({ seq: Number(changeSeq), removed: JSON.parse(id) as string, writeId });
      else changes.push({ ...(await fromElement(changeSeq, element, this.#codec)), writeId });
    }
    return { changes, previous, removals: Number(removals), more: values.length / 4 > limit };
  }

  async get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]> {
    const { head, log, entries } = this.#keys.memory(scope);
    const args = [...new Set(ids)].map((id) => JSON.stringify(id));
    if (args.length === 0) return [];
    const reply = await this.#calls.read({ script: getMemories, keys: [head, log, entries], args });
    assertLogVersion(reply);
    return this.#readEntries(reply as string[]);
  }

  list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage> {
    return this.#calls.withDeadline(() => this.#list(scope, page));
  }

  remove(scope: MemoryScope, removal: MemoryRemoval, now: number): Promise<number> {
    const { head, log, entries, facts, sessions, segments, writeIds, user } = this.#keys.memory(scope);
    const writeId = this.#runtime.newId('removal');
    const idempotencyKey = user.idempotencyKey(writeId);
    const [kind, ...names] =
      removal === 'everything'
        ? ['everything']
        : 'ids' in removal
          ? ['ids', ...removal.ids.map((id) => JSON.stringify(id))]
          : ['session', JSON.stringify(removal.sessionId)];
    const call = (isListed: boolean): ScriptCall => ({
      script: removeMemories,
      keys: [head, log, entries, facts, sessions, segments, writeIds, idempotencyKey],
      args: [kind!, this.#calls.timeoutMs * 2, isListed ? '1' : '', String(now), writeId, ...names],
    });
    return this.#calls.withDeadline(async () => Number(await this.#writeAsListedUser(scope, call)), {
      isWriting: true,
    });
  }

  /** Resolves if the server answers. Throws `STORE_UNAVAILABLE` if it does not answer in time. */
  ping(): Promise<void> {
    return this.#calls.ping();
  }

  async #listUsers(
    appName: string,
    { limit, cursor = '' }: { limit: number; cursor?: string | undefined },
  ): Promise<{ userIds: string[]; next?: string | undefined }> {
    const call = { script: listMemoryUsers, keys: [this.#keys.app(appName).memoryUsers], args: [cursor, limit + 1] };
    const found = (await this.#calls.read(call)) as string[];
    const userIds = found.slice(0, limit);
    return found.length > limit ? { userIds, next: userIds.at(-1)! } : { userIds };
  }

  async #put(
    scope: MemoryScope,
    entries: readonly MemoryEntry[],
    mode: MemoryPutMode,
  ): Promise<{ written: readonly string[]; seq: number }> {
    const keys = this.#keys.memory(scope);
    let candidates = entries;
    if (mode === 'ifAbsent' || entries.length === 0) {
      // A session is ingested again each time it has grown. Entries that the log already contains are neither encoded nor sent.
      const args = entries.map(({ id }) => JSON.stringify(id));
      const reply = await this.#calls.read({ script: findNewMemories, keys: [keys.head, keys.log], args });
      const { seq, indexes } = parseIndexes(reply);
      if (indexes.length === 0) return { written: [], seq };
      candidates = indexes.map((index) => entries[index]!);
    }
    const pairs: string[] = [];
    for (const entry of candidates) pairs.push(JSON.stringify(entry.id), await toElement(entry, this.#codec));
    const writeId = this.#runtime.newId('put');
    const idempotencyKey = keys.user.idempotencyKey(writeId);
    const reply = await this.#writeAsListedUser(scope, (isListed) => ({
      script: putMemories,
      keys: [keys.head, keys.log, keys.entries, keys.facts, keys.sessions, keys.writeIds, idempotencyKey],
      args: [mode, this.#calls.timeoutMs * 2, isListed ? '1' : '', writeId, ...pairs],
    }));
    const { seq, indexes } = parseIndexes(reply);
    return { written: indexes.map((index) => candidates[index]!.id), seq };
  }

  /** Writes. If the user has no memory yet, adds the user to the app's list first. */
  async #writeAsListedUser(scope: MemoryScope, call: (isListed: boolean) => ScriptCall): Promise<ScriptReply> {
    const reply = await this.#calls.write(call(false));
    assertLogVersion(reply);
    if (!Array.isArray(reply)) return reply;
    const { memoryUsers } = this.#keys.app(scope.appName);
    await this.#calls.write({ script: addMemoryUser, keys: [memoryUsers], args: [scope.userId] });
    return this.#calls.write(call(true));
  }

  async #list(scope: MemoryScope, { limit, cursor, filter = {} }: MemoryPageRequest): Promise<MemoryPage> {
    const { from = '', to = '', validAt, sessionId } = filter;
    // Only facts have a time at which they are valid.
    const kinds = validAt === undefined ? filter.kinds : (filter.kinds?.filter((kind) => kind === 'fact') ?? ['fact']);
    if (kinds?.length === 0) return { memories: [] };
    const keys = this.#keys.memory(scope);
    const session = sessionId === undefined ? '' : JSON.stringify(sessionId);
    const filterArgs = [(kinds ?? []).join(), String(from), String(to), session];
    // Keyed by id: an entry that is rewritten during the listing gets the position of its last version.
    const found = new Map<string, StoredMemory>();
    // More at each step, because the part of the filter that the script does not check may match few entries.
    let count = Math.min(limit + 1, PAGE);
    for (let after = String(seqOfCursor(cursor)); ; count = Math.min(count * 4, PAGE)) {
      const reply = await this.#calls.read({
        script: listMemories,
        keys: [keys.head, keys.log, keys.entries, keys.facts, keys.sessions],
        args: [after, count, ...filterArgs],
      });
      assertLogVersion(reply);
      const [next, ...pairs] = reply as string[];
      for (const stored of await this.#readEntries(pairs)) {
        if (!matchesFilter(stored.entry, filter)) continue;
        found.delete(stored.entry.id);
        found.set(stored.entry.id, stored);
        if (found.size > limit) {
          const memories = [...found.values()].slice(0, limit);
          return { memories, next: String(memories.at(-1)!.seq) };
        }
      }
      if (next === '') return { memories: [...found.values()] };
      after = next!;
    }
  }

  async #readEntries(pairs: readonly string[]): Promise<StoredMemory[]> {
    const stored: StoredMemory[] = [];
    for (let i = 0; i < pairs.length; i += 2) stored.push(await fromElement(pairs[i], pairs[i + 1]!, this.#codec));
    return stored;
  }
}

/** Parses a reply of the form '<seq> <index> …'. */
function parseIndexes(reply: ScriptReply): { seq: number; indexes: number[] } {
  const [seq, ...indexes] = String(reply as string)
    .split(' ')
    .map(Number);
  return { seq: seq!, indexes };
}
