import { systemRuntime, TholeError } from '@thole/core';
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
import type { ScriptReply, ScriptCall } from '../client/pending-call.ts';
import { RedisCalls } from '../client/redis-calls.ts';
import type { RedisClient } from '../client/redis-client.ts';
import { RedisKeys } from '../client/redis-keys.ts';
import { assertRedisOptions } from '../client/redis-options.ts';
import type { RedisOptions } from '../client/redis-options.ts';
import { getMemories } from '../scripts/get-memories.lua.ts';
import { listMemories } from '../scripts/list-memories.lua.ts';
import { listMemoryUsers } from '../scripts/list-memory-users.lua.ts';
import { memoriesSince } from '../scripts/memories-since.lua.ts';
import { noteMemoryUser } from '../scripts/note-memory-user.lua.ts';
import { putMemories } from '../scripts/put-memories.lua.ts';
import { removeMemories } from '../scripts/remove-memories.lua.ts';
import { unheardMemories } from '../scripts/unheard-memories.lua.ts';
import { assertLogVersion } from './assert-log-version.ts';
import { fromElement, toElement } from './memory-element.ts';
import { RedisIndexSnapshots } from './redis-index-snapshots.ts';

/** Most entries that one script hands over. */
const PAGE = 500;

/**
 * Keeps memory in Redis: one atomic script for each step, all keys of a user in the user's slot. The app's list of users who
 * have memory hears of each before the first write.
 */
export class RedisMemoryStore implements MemoryStore {
  readonly specVersion = 1;
  readonly abilities: { readonly segmented: IndexSnapshots; readonly users: MemoryUsers };
  readonly #runtime: Runtime;
  readonly #keys: RedisKeys;
  readonly #calls: RedisCalls;
  readonly #codec: TextCodec | undefined;

  constructor(client: RedisClient, options: RedisOptions = {}) {
    assertRedisOptions(client, options, [], 'A memory store over Redis');
    const { runtime = systemRuntime(), keyPrefix = 'thole:', timeoutMs = 5_000, wait, clock, codec } = options;
    this.#runtime = runtime;
    this.#keys = new RedisKeys(keyPrefix);
    this.#calls = new RedisCalls(client, { runtime, timeoutMs, wait, clock });
    this.#codec = codec;
    this.abilities = {
      segmented: new RedisIndexSnapshots(this.#calls, this.#keys, codec),
      users: { listUsers: (appName, page) => this.#listUsers(appName, page) },
    };
  }

  put(
    scope: MemoryScope,
    entries: readonly MemoryEntry[],
    mode: MemoryPutMode,
  ): Promise<{ written: readonly string[]; seq: number }> {
    return this.#calls.withDeadline(() => this.#put(scope, entries, mode), true);
  }

  async since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
    const { head, log, entries } = this.#keys.memory(scope);
    const call = { script: memoriesSince, keys: [head, log, entries], args: [seq, limit + 1] };
    const answer = (await this.#calls.read(call)) as string[];
    assertLogVersion(answer);
    const [removals = 0, ...lines] = answer;
    const changes: MemoryChanges['changes'] = [];
    for (let i = 0; i < lines.length && changes.length < limit; i += 3) {
      const [at, id, element] = [lines[i]!, lines[i + 1]!, lines[i + 2]!];
      if (element === '') changes.push({ seq: Number(at), removed: JSON.parse(id) as string });
      else changes.push(await fromElement(at, element, this.#codec));
    }
    return { changes, removals: Number(removals), more: lines.length / 3 > limit };
  }

  async get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]> {
    const { head, log, entries } = this.#keys.memory(scope);
    const args = [...new Set(ids)].map((id) => JSON.stringify(id));
    if (args.length === 0) return [];
    const answer = await this.#calls.read({ script: getMemories, keys: [head, log, entries], args });
    assertLogVersion(answer);
    return this.#read(answer as string[]);
  }

  list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage> {
    return this.#calls.withDeadline(() => this.#list(scope, page));
  }

  remove(scope: MemoryScope, what: MemoryRemoval, now: number): Promise<number> {
    const keys = this.#keys.memory(scope);
    const once = keys.user.idempotencyKey(this.#runtime.newId('removal'));
    const [kind, ...which] =
      what === 'everything'
        ? ['everything']
        : 'ids' in what
          ? ['ids', ...what.ids.map((id) => JSON.stringify(id))]
          : ['session', JSON.stringify(what.sessionId)];
    const call = (isNoted: boolean): ScriptCall => ({
      script: removeMemories,
      keys: [keys.head, keys.log, keys.entries, keys.facts, keys.sessions, keys.segments, once],
      args: [kind!, this.#calls.timeoutMs * 2, isNoted ? '1' : '', String(now), ...which],
    });
    return this.#calls.withDeadline(async () => Number(await this.#noted(scope, call)), true);
  }

  /** `STORE_UNAVAILABLE` unless the server answers in time. */
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
      // Sessions are ingested again whenever they have grown: what is known of them is neither encoded nor sent.
      const args = entries.map(({ id }) => JSON.stringify(id));
      const answer = await this.#calls.read({ script: unheardMemories, keys: [keys.head, keys.log], args });
      const { seq, positions } = toPositions(answer);
      if (positions.length === 0) return { written: [], seq };
      candidates = positions.map((position) => entries[position]!);
    }
    const pairs: string[] = [];
    for (const entry of candidates) pairs.push(JSON.stringify(entry.id), await toElement(entry, this.#codec));
    const once = keys.user.idempotencyKey(this.#runtime.newId('put'));
    const answer = await this.#noted(scope, (isNoted) => ({
      script: putMemories,
      keys: [keys.head, keys.log, keys.entries, keys.facts, keys.sessions, once],
      args: [mode, this.#calls.timeoutMs * 2, isNoted ? '1' : '', ...pairs],
    }));
    const { seq, positions } = toPositions(answer);
    return { written: positions.map((position) => candidates[position]!.id), seq };
  }

  /** Has the app know of the user where the user has no memory yet. */
  async #noted(scope: MemoryScope, call: (isNoted: boolean) => ScriptCall): Promise<ScriptReply> {
    const answer = await this.#calls.write(call(false));
    assertLogVersion(answer);
    if (!Array.isArray(answer)) return answer;
    const { memoryUsers } = this.#keys.app(scope.appName);
    await this.#calls.write({ script: noteMemoryUser, keys: [memoryUsers], args: [scope.userId] });
    return this.#calls.write(call(true));
  }

  async #list(scope: MemoryScope, { limit, cursor, filter = {} }: MemoryPageRequest): Promise<MemoryPage> {
    const { kinds, from = '', to = '', validAt, sessionId } = filter;
    const ofKinds = validAt === undefined ? kinds : (kinds?.filter((kind) => kind === 'fact') ?? ['fact']);
    if (ofKinds?.length === 0) return { memories: [] };
    const keys = this.#keys.memory(scope);
    const session = sessionId === undefined ? '' : JSON.stringify(sessionId);
    const asked = [(ofKinds ?? []).join(), String(from), String(to), session];
    // By id: one that is written again while this reads stands where it was read last.
    const found = new Map<string, StoredMemory>();
    for (let after = String(seqOf(cursor)); ;) {
      const answer = await this.#calls.read({
        script: listMemories,
        keys: [keys.head, keys.log, keys.entries, keys.facts, keys.sessions],
        args: [after, Math.min(limit + 1, PAGE), ...asked],
      });
      assertLogVersion(answer);
      const [next, ...lines] = answer as string[];
      for (const stored of await this.#read(lines)) {
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

  async #read(pairs: readonly string[]): Promise<StoredMemory[]> {
    const stored: StoredMemory[] = [];
    for (let i = 0; i < pairs.length; i += 2) stored.push(await fromElement(pairs[i], pairs[i + 1]!, this.#codec));
    return stored;
  }
}

/** What is answered as 'seq position …'. */
function toPositions(answer: ScriptReply): { seq: number; positions: number[] } {
  const [seq, ...positions] = String(answer as string)
    .split(' ')
    .map(Number);
  return { seq: seq!, positions };
}

function seqOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new TholeError('INVALID_INPUT', 'cursor must be what the page before answered as next.');
}
