import { systemRuntime, TholeError } from '@thole/core';
import {
  assertBytes,
  assertCount,
  assertSessionRef,
  invalidInput,
  isPlainObject,
  memoryKeyOf,
  raceAbort,
  raceAbortWrite,
  rejectUnknownOptions,
  turnId,
} from '@thole/core/kit';
import type {
  AddMemoryRequest,
  CallOptions,
  Event,
  MemoryEntry,
  MemoryFilter,
  MemoryRef,
  MemoryScope,
  MemoryService,
  MemoryStore,
  NewMemory,
  Runtime,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Session,
  SessionRef,
} from '@thole/core';
import { changeEntry, replaceEntries } from './change-entries.ts';
import type { ChangeContext } from './change-entries.ts';
import {
  assertEvents,
  assertFilter,
  assertIds,
  assertMembers,
  assertRelevance,
  assertScore,
  assertSearch,
  assertText,
  copyEntry,
} from './assert-memory.ts';
import { entriesById } from './entries-by-id.ts';
import { deleteEntries, deleteSessionEntries } from './delete-entries.ts';
import type { DeletionContext } from './delete-entries.ts';
import { IndexCache } from './index-cache.ts';
import { hasExpired, matchesFilter } from './matches-filter.ts';
import type { MemoryRanking } from './memory-index.ts';
import { pruneMemories } from './prune-memories.ts';
import type { PruneMemoriesRequest } from './prune-memories.ts';
import { rerankHits } from './rerank.ts';
import type { Rerank } from './rerank.ts';
import { thawEntry } from './thaw-entry.ts';
import { turnsOf } from './turns-of.ts';
import { UserQueue } from './user-queue.ts';
import { wordRanking } from './word-ranking.ts';

/** Options that all memory services have. */
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
  /** Reorders the results of each search, for example by a model. Default: the order of the ranking. */
  rerank?: Rerank | undefined;
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
  readonly #rerank: Rerank | undefined;
  readonly #indexes: IndexCache;
  readonly #changing = new UserQueue();

  constructor(store: MemoryStore, options: StoredMemoryServiceOptions = {}) {
    rejectUnknownOptions(
      options,
      ['runtime', 'topK', 'minScore', 'minRelevance', 'ranking', 'indexBytes', 'rerank'],
      'A memory service',
    );
    const {
      runtime,
      topK = 10,
      minScore,
      minRelevance,
      ranking = wordRanking(),
      indexBytes = 64 * 1024 * 1024,
      rerank,
    } = options;
    assertCount('topK', topK, 1);
    if (minScore !== undefined) assertScore(minScore);
    if (minRelevance !== undefined) assertRelevance(minRelevance);
    assertBytes('indexBytes', indexBytes);
    if (rerank !== undefined && typeof rerank !== 'function') throw invalidInput('rerank', 'a function', rerank);
    this.#rerank = rerank;
    this.#store = store;
    this.#runtime = runtime ?? systemRuntime();
    this.#topK = topK;
    this.#minScore = minScore;
    this.#minRelevance = minRelevance;
    this.#indexes = new IndexCache(store, ranking, indexBytes, this.#runtime);
  }

  async addSessionToMemory(session: Session, call: CallOptions = {}): Promise<void> {
    if (typeof session !== 'object' || session === null) throw invalidInput('session', 'a Session', session);
    const { appName, userId, id: sessionId, events } = session;
    await this.addEventsToMemory({ appName, userId, sessionId, events, signal: call.signal });
  }

  async addEventsToMemory(p: SessionRef & { events: readonly Event[] } & CallOptions): Promise<void> {
    assertSessionRef(p);
    assertEvents(p.events);
    const turns = turnsOf(p.sessionId, p.events);
    p.signal?.throwIfAborted();
    if (turns.length === 0) return;
    const scope = scopeOf(p);
    await raceAbortWrite(this.#store.put(scope, turns, 'ifAbsent'), p.signal);
    await this.#indexes.prepare(scope, p.signal);
  }

  async addMemory(p: AddMemoryRequest): Promise<MemoryEntry[]> {
    memoryKeyOf(p, p.scope);
    const memories = newMemories(p);
    const given = memories.map((memory, i) => copyEntry(this.#complete(memory, p), `memories[${i}]`));
    p.signal?.throwIfAborted();
    // Ids of our own making are nobody's yet.
    const named = new Set(memories.map((memory) => memory.id));
    const groups = new Map<string, { scope: MemoryScope; entries: Map<string, MemoryEntry> }>();
    for (const entry of given) {
      const scope = memoryKeyOf(p, entry.scope);
      const group = groups.get(scope.userId) ?? { scope, entries: new Map<string, MemoryEntry>() };
      groups.set(scope.userId, group);
      // As if they came one after the other.
      group.entries.delete(entry.id);
      group.entries.set(entry.id, entry);
    }
    const added: MemoryEntry[] = [];
    for (const { scope, entries } of groups.values()) {
      const all = [...entries.values()];
      const known = all.filter(({ id, kind }) => kind === 'turn' || named.has(id));
      await raceAbortWrite(replaceEntries(this.#at(scope), all, known), p.signal);
      await this.#indexes.prepare(scope, p.signal);
      added.push(...all.map(thawEntry));
    }
    return added;
  }

  async getMemory(p: MemoryRef & { id: string } & CallOptions): Promise<MemoryEntry | undefined> {
    const scope = scopeOf(p);
    assertText('id', p.id);
    p.signal?.throwIfAborted();
    const [found] = await raceAbort(this.#store.get(scope, [p.id]), p.signal);
    return found && !hasExpired(found.entry, this.#runtime.now()) ? thawEntry(found.entry) : undefined;
  }

  async updateMemory(
    p: MemoryRef & { id: string; change: Partial<Omit<MemoryEntry, 'id' | 'score'>> } & CallOptions,
  ): Promise<MemoryEntry | undefined> {
    const scope = scopeOf(p);
    assertText('id', p.id);
    if (!isPlainObject(p.change)) throw invalidInput('change', 'an object', p.change);
    assertMembers(p.change, 'change');
    if (p.change.scope !== undefined)
      throw new TholeError('INVALID_INPUT', 'change must not have a scope: an entry stays where it was added.');
    p.signal?.throwIfAborted();
    const entry = await raceAbortWrite(
      this.#changing.run(scope, () => changeEntry(this.#at(scope), p.id, p.change)),
      p.signal,
    );
    if (!entry) return undefined;
    await this.#indexes.prepare(scope, p.signal);
    return thawEntry(entry);
  }

  async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    assertSearch(p);
    const scope = scopeOf(p);
    p.signal?.throwIfAborted();
    const { query, filter, signal, explain, timeZone, limit = this.#topK } = p;
    const { minScore = this.#minScore, minRelevance = this.#minRelevance } = p;
    if (limit === 0 || query.trim() === '') return { memories: [] };
    const missing: { vectorsMissing?: number } = {};
    const onMissing = (entries: number): void => void (missing.vectorsMissing = entries);
    const now = this.#runtime.now();
    const wanted = { limit, minScore, minRelevance, filter, explain, now, timeZone, signal, onMissing };
    const found = await this.#indexes.rank(scope, query, wanted);
    if (found.length === 0) return { memories: [], ...missing };
    const stored = await raceAbort(
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
      if (!entry || hasExpired(entry, now) || (filter && !matchesFilter(entry, filter))) continue;
      const memory = thawEntry(entry);
      memory.score = score;
      if (relevance !== undefined) memory.relevance = relevance;
      if (explanation) memory.explanation = explanation;
      memories.push(memory);
    }
    const { logger } = this.#runtime;
    const ordered = this.#rerank ? await rerankHits(this.#rerank, { query, hits: memories, signal, logger }) : memories;
    return { memories: ordered, ...missing };
  }

  async listMemories(
    p: MemoryRef & {
      limit?: number | undefined;
      cursor?: string | undefined;
      filter?: MemoryFilter | undefined;
    } & CallOptions,
  ): Promise<{ memories: MemoryEntry[]; next?: string | undefined }> {
    const scope = scopeOf(p);
    const { limit = LIST_LIMIT, cursor, filter } = p;
    assertCount('limit', limit, 1);
    if (cursor !== undefined && typeof cursor !== 'string') throw invalidInput('cursor', 'a string', cursor);
    assertFilter(filter);
    p.signal?.throwIfAborted();
    const page = await raceAbort(
      this.#store.list(scope, { limit, cursor, filter: { ...filter, liveAt: this.#runtime.now() } }),
      p.signal,
    );
    const memories = page.memories.map(({ entry }) => thawEntry(entry));
    return page.next === undefined ? { memories } : { memories, next: page.next };
  }

  async deleteMemory(
    p: MemoryRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & CallOptions,
  ): Promise<number> {
    const scope = scopeOf(p);
    assertIds('ids', p.ids);
    p.signal?.throwIfAborted();
    if (p.ids.length === 0) return 0;
    const { ids, keepEvidence = false } = p;
    return this.#forget(scope, p, (forgetting) => deleteEntries({ ...forgetting, ids, keepEvidence }));
  }

  async deleteSessionMemory(
    p: SessionRef & MemoryRef & { events?: readonly Event[] | undefined } & CallOptions,
  ): Promise<number> {
    assertSessionRef(p);
    const { sessionId, events = [] } = p;
    assertEvents(events);
    p.signal?.throwIfAborted();
    const turns = turnsOf(sessionId, events);
    return this.#forget(scopeOf(p), p, (forgetting) => deleteSessionEntries({ ...forgetting, sessionId, turns }));
  }

  async deleteUserMemory(p: MemoryRef & CallOptions): Promise<number> {
    const scope = scopeOf(p);
    p.signal?.throwIfAborted();
    return raceAbortWrite(this.#store.remove(scope, 'everything', this.#runtime.now()), p.signal);
  }

  /**
   * Retention: deletes the entries of an app or of one of its users that have expired or are older than `olderThan` (seconds), as
   * `deleteMemory` does: they do not come back by ingestion, and facts that rested on nothing else are deleted too. Returns how many
   * entries were deleted. A whole app includes its shared scopes, and needs a store that lists its users (`abilities.users`), as all
   * of ours do; otherwise `INVALID_INPUT`.
   */
  pruneMemories(p: PruneMemoriesRequest): Promise<number> {
    // Evidence of an old fact may be young.
    const forget = (scope: MemoryScope, ids: readonly string[], call: CallOptions): Promise<number> =>
      this.#forget(scope, call, (forgetting) => deleteEntries({ ...forgetting, ids, keepEvidence: true }));
    return pruneMemories({ store: this.#store, forget, now: this.#runtime.now() }, p);
  }

  #at(scope: MemoryScope): ChangeContext {
    return { store: this.#store, indexes: this.#indexes, scope, now: this.#runtime.now() };
  }

  #forget(scope: MemoryScope, call: CallOptions, work: (p: DeletionContext) => Promise<number>): Promise<number> {
    const start = (): Promise<number> => work({ store: this.#store, scope, now: this.#runtime.now() });
    return raceAbortWrite(this.#changing.run(scope, start), call.signal);
  }

  #complete(memory: NewMemory, { scope: common }: MemoryRef): unknown {
    if (!isPlainObject(memory)) return memory;
    const { kind, sessionId, eventId, scope = common } = memory;
    const ofTurn = kind === 'turn' && typeof sessionId === 'string' && typeof eventId === 'string';
    const id = memory.id ?? (ofTurn ? turnId(sessionId, eventId) : this.#runtime.newId('memory'));
    return { ...memory, id, scope, timestamp: memory.timestamp ?? this.#runtime.now() };
  }
}

/** Returns the entries of a request, or the note that its `memory` is. */
function newMemories({ memory, memories }: AddMemoryRequest): readonly NewMemory[] {
  if (memory === undefined) {
    if (!Array.isArray(memories)) throw invalidInput('memories', 'an array of entries', memories);
    return memories as readonly NewMemory[];
  }
  if (memories !== undefined) throw new TholeError('INVALID_INPUT', 'addMemory takes either memory or memories.');
  assertText('memory', memory);
  return [{ kind: 'note', content: { parts: [{ text: memory }] } }];
}

function scopeOf(p: MemoryRef): MemoryScope {
  return memoryKeyOf(p, p.scope);
}
