import {
  checkBytes,
  checkCount,
  checkSessionRef,
  checkUser,
  invalidInput,
  isPlainObject,
  orAborted,
  orOutcomeUnknown,
  refuseUnknown,
  systemRuntime,
  turnId,
} from '@thole/core';
import type {
  Call,
  Event,
  MemoryEntry,
  MemoryFilter,
  MemoryScope,
  MemoryService,
  MemoryStore,
  NewMemory,
  Runtime,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Session,
  SessionRef,
  UserRef,
} from '@thole/core';
import { changeEntry, replaceEntries } from './change-entries.ts';
import type { Changing } from './change-entries.ts';
import {
  checkEvents,
  checkFilter,
  checkIds,
  checkMembers,
  checkRelevance,
  checkScore,
  checkSearch,
  checkText,
  copyEntry,
} from './check-memory.ts';
import { entriesById } from './entries-by-id.ts';
import { forgetEntries, forgetSession } from './forget.ts';
import type { Forgetting } from './forget.ts';
import { IndexCache } from './index-cache.ts';
import { matchesFilter } from './matches-filter.ts';
import type { MemoryRanking } from './memory-index.ts';
import { pruneMemories } from './prune-memories.ts';
import type { PruneMemoriesRequest } from './prune-memories.ts';
import { thawEntry } from './thaw-entry.ts';
import { turnsOf } from './turns-of.ts';
import { UserQueue } from './user-queue.ts';
import { wordRanking } from './word-ranking.ts';

/** What a `StoredMemoryService` may be told. */
export interface StoredMemoryServiceOptions {
  runtime?: Runtime | undefined;
  /** Answers of a search that names no limit (10). */
  topK?: number | undefined;
  /** The least score of answers, for searches that name none. */
  minScore?: number | undefined;
  /** Smallest relevance (0 to 1) of results of searches that name none. Default: 0. */
  minRelevance?: number | undefined;
  /** How entries are ranked (`wordRanking()`). */
  ranking?: MemoryRanking | undefined;
  /** About how many bytes of derived indexes are held (64 MiB); the users who were not here for longest leave first. */
  indexBytes?: number | undefined;
}

const LIST_LIMIT = 100;

/**
 * The semantics that every memory backend shares: what is ingested, what is forgotten, and search over an index that is
 * derived from the store's log and brought up to date before each search, so that other processes' writes are seen.
 */
export class StoredMemoryService implements MemoryService {
  readonly #store: MemoryStore;
  readonly #runtime: Runtime;
  readonly #topK: number;
  readonly #minScore: number | undefined;
  readonly #minRelevance: number | undefined;
  readonly #indexes: IndexCache;
  readonly #changing = new UserQueue();

  constructor(store: MemoryStore, options: StoredMemoryServiceOptions = {}) {
    refuseUnknown(
      options,
      ['runtime', 'topK', 'minScore', 'minRelevance', 'ranking', 'indexBytes'],
      'A memory service',
    );
    const {
      runtime,
      topK = 10,
      minScore,
      minRelevance,
      ranking = wordRanking(),
      indexBytes = 64 * 1024 * 1024,
    } = options;
    checkCount('topK', topK, 1);
    if (minScore !== undefined) checkScore(minScore);
    if (minRelevance !== undefined) checkRelevance(minRelevance);
    checkBytes('indexBytes', indexBytes);
    this.#store = store;
    this.#runtime = runtime ?? systemRuntime();
    this.#topK = topK;
    this.#minScore = minScore;
    this.#minRelevance = minRelevance;
    this.#indexes = new IndexCache(store, ranking, indexBytes, this.#runtime);
  }

  async addSessionToMemory(session: Session, call: Call = {}): Promise<void> {
    if (typeof session !== 'object' || session === null) throw invalidInput('session', 'a Session', session);
    const { appName, userId, id: sessionId, events } = session;
    await this.addEventsToMemory({ appName, userId, sessionId, events, signal: call.signal });
  }

  async addEventsToMemory(p: SessionRef & { events: readonly Event[] } & Call): Promise<void> {
    checkSessionRef(p);
    checkEvents(p.events);
    const turns = turnsOf(p.sessionId, p.events);
    p.signal?.throwIfAborted();
    if (turns.length === 0) return;
    const scope = scopeOf(p);
    await orOutcomeUnknown(this.#store.put(scope, turns, 'ifAbsent'), p.signal);
    await this.#indexes.prepare(scope, p.signal);
  }

  async addMemory(p: UserRef & { memories: readonly NewMemory[] } & Call): Promise<MemoryEntry[]> {
    checkUser(p);
    if (!Array.isArray(p.memories)) throw invalidInput('memories', 'an array of entries', p.memories);
    const given = p.memories.map((memory: NewMemory, i) => copyEntry(this.#complete(memory), `memories[${i}]`));
    p.signal?.throwIfAborted();
    if (given.length === 0) return [];
    const scope = scopeOf(p);
    // As if they came one after the other.
    const entries = [...new Map(given.map((entry) => [entry.id, entry])).values()];
    // Ids of our own making are nobody's yet.
    const named = new Set(p.memories.map(({ id }) => id));
    const known = entries.filter(({ id, kind }) => kind === 'turn' || named.has(id));
    await orOutcomeUnknown(replaceEntries(this.#at(scope), entries, known), p.signal);
    await this.#indexes.prepare(scope, p.signal);
    return entries.map(thawEntry);
  }

  async updateMemory(
    p: UserRef & { id: string; change: Partial<Omit<MemoryEntry, 'id' | 'score'>> } & Call,
  ): Promise<MemoryEntry | undefined> {
    checkUser(p);
    checkText('id', p.id);
    if (!isPlainObject(p.change)) throw invalidInput('change', 'an object', p.change);
    checkMembers(p.change, 'change');
    p.signal?.throwIfAborted();
    const scope = scopeOf(p);
    const entry = await orOutcomeUnknown(
      this.#changing.run(scope, () => changeEntry(this.#at(scope), p.id, p.change)),
      p.signal,
    );
    if (!entry) return undefined;
    await this.#indexes.prepare(scope, p.signal);
    return thawEntry(entry);
  }

  async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    checkSearch(p);
    p.signal?.throwIfAborted();
    const { query, filter, signal, explain, timeZone, limit = this.#topK } = p;
    const { minScore = this.#minScore, minRelevance = this.#minRelevance } = p;
    if (limit === 0 || query.trim() === '') return { memories: [] };
    const scope = scopeOf(p);
    const missing: { vectorsMissing?: number } = {};
    const onMissing = (entries: number): void => void (missing.vectorsMissing = entries);
    const now = this.#runtime.now();
    const wanted = { limit, minScore, minRelevance, filter, explain, now, timeZone, signal, onMissing };
    const found = await this.#indexes.rank(scope, query, wanted);
    if (found.length === 0) return { memories: [], ...missing };
    const stored = await orAborted(
      this.#store.get(
        scope,
        found.map((one) => one.id),
      ),
      signal,
    );
    const entryOf = entriesById(stored);
    const memories: MemoryEntry[] = [];
    for (const { id, score, relevance, explanation } of found) {
      const entry = entryOf(id);
      // It may have gone or changed since the index was read.
      if (!entry || (filter && !matchesFilter(entry, filter))) continue;
      const memory = thawEntry(entry);
      memory.score = score;
      if (relevance !== undefined) memory.relevance = relevance;
      if (explanation) memory.explanation = explanation;
      memories.push(memory);
    }
    return { memories, ...missing };
  }

  async listMemories(
    p: UserRef & { limit?: number | undefined; cursor?: string | undefined; filter?: MemoryFilter | undefined } & Call,
  ): Promise<{ memories: MemoryEntry[]; next?: string | undefined }> {
    checkUser(p);
    const { limit = LIST_LIMIT, cursor, filter } = p;
    checkCount('limit', limit, 1);
    if (cursor !== undefined && typeof cursor !== 'string') throw invalidInput('cursor', 'a string', cursor);
    checkFilter(filter);
    p.signal?.throwIfAborted();
    const page = await orAborted(this.#store.list(scopeOf(p), { limit, cursor, filter }), p.signal);
    const memories = page.memories.map(({ entry }) => thawEntry(entry));
    return page.next === undefined ? { memories } : { memories, next: page.next };
  }

  async deleteMemory(
    p: UserRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & Call,
  ): Promise<number> {
    checkUser(p);
    checkIds('ids', p.ids);
    p.signal?.throwIfAborted();
    if (p.ids.length === 0) return 0;
    const { ids, keepEvidence = false } = p;
    return this.#forget(p, (forgetting) => forgetEntries({ ...forgetting, ids, keepEvidence }));
  }

  async deleteSessionMemory(p: SessionRef & { events?: readonly Event[] | undefined } & Call): Promise<number> {
    checkSessionRef(p);
    const { sessionId, events = [] } = p;
    checkEvents(events);
    p.signal?.throwIfAborted();
    const turns = turnsOf(sessionId, events);
    return this.#forget(p, (forgetting) => forgetSession({ ...forgetting, sessionId, turns }));
  }

  async deleteUserMemory(p: UserRef & Call): Promise<number> {
    checkUser(p);
    p.signal?.throwIfAborted();
    return orOutcomeUnknown(this.#store.remove(scopeOf(p), 'everything', this.#runtime.now()), p.signal);
  }

  /**
   * Retention: removes what is older than `olderThan` (seconds) of an app or of one of its users, as `deleteMemory` does, so
   * that it does not come back by ingestion; facts that rested on nothing else go along. Answers how many entries went. For a
   * whole app the store must tell of its users (`abilities.users`), as all of ours do; otherwise `INVALID_INPUT`.
   */
  pruneMemories(p: PruneMemoriesRequest): Promise<number> {
    return pruneMemories(this.#store, (forgetting) => this.deleteMemory(forgetting), p);
  }

  #at(scope: MemoryScope): Changing {
    return { store: this.#store, indexes: this.#indexes, scope };
  }

  #forget(p: UserRef & Call, work: (p: Forgetting) => Promise<number>): Promise<number> {
    const scope = scopeOf(p);
    const start = (): Promise<number> => work({ store: this.#store, scope, now: this.#runtime.now() });
    return orOutcomeUnknown(this.#changing.run(scope, start), p.signal);
  }

  #complete(memory: NewMemory): unknown {
    if (!isPlainObject(memory)) return memory;
    const { kind, sessionId, eventId } = memory;
    const ofTurn = kind === 'turn' && typeof sessionId === 'string' && typeof eventId === 'string';
    const id = memory.id ?? (ofTurn ? turnId(sessionId, eventId) : this.#runtime.newId('memory'));
    return { ...memory, id, timestamp: memory.timestamp ?? this.#runtime.now() };
  }
}

function scopeOf(p: UserRef): MemoryScope {
  return { appName: p.appName, userId: p.userId };
}
