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
  textOf,
  thawJson,
  turnId,
} from '@thole/core';
import type {
  Call,
  Event,
  Json,
  MemoryEntry,
  MemoryFilter,
  MemoryScope,
  MemoryService,
  MemoryStore,
  NewMemory,
  Part,
  Runtime,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Session,
  SessionRef,
  UserRef,
} from '@thole/core';
import { checkEvents, checkFilter, checkIds, checkMembers, checkText, copyEntry } from './check-memory.ts';
import { forgetEntries, forgetSession } from './forget.ts';
import type { Forgetting } from './forget.ts';
import { IndexCache } from './index-cache.ts';
import { matchesFilter } from './matches-filter.ts';
import type { MemoryRanking } from './memory-index.ts';
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
  readonly #indexes: IndexCache;
  readonly #changing = new UserQueue();

  constructor(store: MemoryStore, options: StoredMemoryServiceOptions = {}) {
    refuseUnknown(options, ['runtime', 'topK', 'minScore', 'ranking', 'indexBytes'], 'A memory service');
    const { runtime, topK = 10, minScore, ranking = wordRanking(), indexBytes = 64 * 1024 * 1024 } = options;
    checkCount('topK', topK, 1);
    if (minScore !== undefined) checkScore(minScore);
    checkBytes('indexBytes', indexBytes);
    this.#store = store;
    this.#runtime = runtime ?? systemRuntime();
    this.#topK = topK;
    this.#minScore = minScore;
    this.#indexes = new IndexCache(store, ranking, indexBytes);
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
    await orOutcomeUnknown(this.#replace(scope, entries, known), p.signal);
    await this.#indexes.prepare(scope, p.signal);
    return entries.map(thaw);
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
      this.#changing.run(scope, () => this.#change(scope, p.id, p.change)),
      p.signal,
    );
    if (!entry) return undefined;
    await this.#indexes.prepare(scope, p.signal);
    return thaw(entry);
  }

  async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    checkUser(p);
    if (typeof p.query !== 'string') throw invalidInput('query', 'a string', p.query);
    if (p.limit !== undefined) checkCount('limit', p.limit);
    if (p.minScore !== undefined) checkScore(p.minScore);
    if (p.explain !== undefined && typeof p.explain !== 'boolean')
      throw invalidInput('explain', 'a boolean', p.explain);
    checkFilter(p.filter);
    p.signal?.throwIfAborted();
    const { query, filter, signal, explain, limit = this.#topK, minScore = this.#minScore } = p;
    if (limit === 0 || query.trim() === '') return { memories: [] };
    const scope = scopeOf(p);
    const missing: { vectorsMissing?: number } = {};
    const onMissing = (entries: number): void => void (missing.vectorsMissing = entries);
    const now = this.#runtime.now();
    const wanted = { limit, minScore, filter, explain, now, signal, onMissing };
    const found = await this.#indexes.rank(scope, query, wanted);
    if (found.length === 0) return { memories: [], ...missing };
    const stored = await orAborted(
      this.#store.get(
        scope,
        found.map((one) => one.id),
      ),
      signal,
    );
    const byId = new Map(stored.map(({ entry }) => [entry.id, entry]));
    const memories: MemoryEntry[] = [];
    for (const { id, score, explanation } of found) {
      const entry = byId.get(id);
      // It may have gone or changed since the index was read.
      if (entry && (!filter || matchesFilter(entry, filter)))
        memories.push({ ...thaw(entry), score, ...(explanation && { explanation }) });
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
    const memories = page.memories.map(({ entry }) => thaw(entry));
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

  async deleteSessionMemory(p: SessionRef & Call): Promise<number> {
    checkSessionRef(p);
    p.signal?.throwIfAborted();
    const { sessionId } = p;
    return this.#forget(p, (forgetting) => forgetSession({ ...forgetting, sessionId }));
  }

  async deleteUserMemory(p: UserRef & Call): Promise<number> {
    checkUser(p);
    p.signal?.throwIfAborted();
    return orOutcomeUnknown(this.#store.remove(scopeOf(p), 'everything', this.#runtime.now()), p.signal);
  }

  async #change(scope: MemoryScope, id: string, change: { [name: string]: unknown }): Promise<MemoryEntry | undefined> {
    const [found] = await this.#store.get(scope, [id]);
    if (!found) return undefined;
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const entry = copyEntry({ ...found.entry, ...given, id }, 'change');
    // What another process deleted meanwhile is not brought back.
    const { written, seq } = await this.#store.put(scope, [entry], 'ifPresent');
    if (written.length === 0) return undefined;
    if (!saysTheSame(found.entry, entry)) await this.#indexes.forgetSaved(scope, seq);
    return entry;
  }

  // What a text said before is forgotten in what is saved of the index, too.
  async #replace(scope: MemoryScope, entries: readonly MemoryEntry[], known: readonly MemoryEntry[]): Promise<void> {
    const after = new Map(known.map((entry) => [entry.id, entry]));
    const before = this.#indexes.areSaved && after.size > 0 ? await this.#store.get(scope, [...after.keys()]) : [];
    const { seq } = await this.#store.put(scope, entries, 'replace');
    if (before.some(({ entry }) => !saysTheSame(entry, after.get(entry.id)!)))
      await this.#indexes.forgetSaved(scope, seq);
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

function saysTheSame(one: MemoryEntry, other: MemoryEntry): boolean {
  return textOf(one.content) === textOf(other.content);
}

function thaw(entry: MemoryEntry): MemoryEntry {
  const { content, evidence, customMetadata } = entry;
  const { parts } = content;
  // Copied by hand: most entries are a text, and a search that is quick spends much of its time here.
  return {
    ...entry,
    content: { ...content, ...(parts && { parts: parts.map(thawPart) }) },
    ...(evidence && { evidence: [...evidence] }),
    ...(customMetadata && { customMetadata: thawJson(customMetadata) }),
  };
}

function thawPart(part: Part): Part {
  for (const name in part) if (name !== 'text') return thawJson(part as unknown as Json) as unknown as Part;
  return { text: part.text };
}

function checkScore(value: unknown): void {
  if (!Number.isFinite(value)) throw invalidInput('minScore', 'a number', value);
}
