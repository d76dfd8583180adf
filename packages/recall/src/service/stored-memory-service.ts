import { systemRuntime, textOf, TholeError } from '@thole/core';
import {
  assertCount,
  assertSessionRef,
  assertUser,
  ingestibleEvents,
  invalidInput,
  isPlainObject,
  KeyedQueue,
  memoryKeyOf,
  raceAbort,
  raceAbortWrite,
  userKeyOf,
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
  Optional,
  Runtime,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Session,
  SessionRef,
} from '@thole/core';
import {
  assertBoolean,
  assertEvents,
  assertFilter,
  assertIds,
  assertMembers,
  assertSearch,
  assertText,
} from './assert-memory.ts';
import { changeEntry, replaceEntries } from './change-entries.ts';
import type { ChangeContext } from './change-entries.ts';
import { deleteEntries, deleteSessionEntries, idsOfVersions } from './delete-entries.ts';
import type { DeletionContext } from './delete-entries.ts';
import { findSameStatements } from './find-same-statements.ts';
import { IndexCache } from './index-cache.ts';
import { loadResults } from './load-results.ts';
import { hasExpired } from './matches-filter.ts';
import { assertMemoryServiceOptions } from './memory-service-options.ts';
import type { StoredMemoryServiceOptions } from './memory-service-options.ts';
import { newEntriesOf } from './new-entries.ts';
import { orderReplaced } from './order-replaced.ts';
import { pruneMemories } from './prune-memories.ts';
import type { PruneMemoriesRequest } from './prune-memories.ts';
import { rerankHits } from './rerank.ts';
import type { Rerank } from './rerank.ts';
import { thawEntry } from './thaw-entry.ts';
import { turnsOf } from './turns-of.ts';
import { wordRanking } from './word-ranking.ts';

/** Default maximum number of entries in a list. */
const LIST_LIMIT = 100;

/**
 * The memory service of every backend: ingestion, deletion and search over a `MemoryStore`. The search index is derived from the
 * store's log and updated before each search, so that a search sees the writes of other processes.
 */
export class StoredMemoryService implements MemoryService {
  readonly #store: MemoryStore;
  readonly #runtime: Runtime;
  readonly #topK: number;
  readonly #minScore: number | undefined;
  readonly #minRelevance: number | undefined;
  readonly #rerank: Rerank | undefined;
  readonly #indexes: IndexCache;
  /** Runs one read with its following write at a time per user. Otherwise concurrent changes could undo each other. */
  readonly #changes = new KeyedQueue();

  constructor(store: MemoryStore, options: StoredMemoryServiceOptions = {}) {
    assertMemoryServiceOptions(options);
    if (typeof store?.since !== 'function') throw invalidInput('store', 'a MemoryStore', store);
    const { runtime = systemRuntime(), ranking = wordRanking(), indexBytes = 64 * 1024 * 1024 } = options;
    this.#rerank = options.rerank;
    this.#store = store;
    this.#runtime = runtime;
    this.#topK = options.topK ?? 10;
    this.#minScore = options.minScore;
    this.#minRelevance = options.minRelevance;
    this.#indexes = new IndexCache(store, ranking, indexBytes, runtime);
  }

  async addSessionToMemory(session: Session, call: CallOptions = {}): Promise<void> {
    if (typeof session !== 'object' || session === null) throw invalidInput('session', 'a Session', session);
    const { appName, userId, id: sessionId } = session;
    const events =
      Array.isArray(session.events) && session.events.every(Boolean) ? ingestibleEvents(session) : session.events;
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
    scopeOf(p);
    const groups = newEntriesOf(p, this.#runtime);
    p.signal?.throwIfAborted();
    const added: MemoryEntry[] = [];
    for (const { scope, entries, mayExist } of groups) {
      const write = (): Promise<void> => replaceEntries(this.#changeContext(scope), entries, mayExist);
      // Entries with new ids cannot conflict with other changes.
      const writing = mayExist.length === 0 ? write() : this.#changes.run(userKeyOf(scope), write);
      await raceAbortWrite(writing, p.signal);
      await this.#indexes.prepare(scope, p.signal);
      for (const entry of entries) added.push(thawEntry(entry));
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

  async findSameMemories(p: MemoryRef & { ids: readonly string[] } & CallOptions): Promise<MemoryEntry[]> {
    const scope = scopeOf(p);
    assertIds('ids', p.ids);
    p.signal?.throwIfAborted();
    const now = this.#runtime.now();
    const ids = [...(await raceAbort(idsOfVersions({ store: this.#store, scope, now }, p.ids), p.signal))];
    const found = await raceAbort(this.#store.get(scope, ids), p.signal);
    const byId = new Map(found.map(({ entry }) => [entry.id, entry]));
    const entries = ids.flatMap((id) => byId.get(id) ?? []).filter((entry) => !hasExpired(entry, now));
    const texts = entries.map(({ content }) => textOf(content));
    const excludedIds = [...ids, ...entries.flatMap(({ evidence = [] }) => evidence)];
    const { appName, userId, signal } = p;
    return findSameStatements(this, { appName, userId, scope: p.scope, signal, texts, excludedIds });
  }

  async updateMemory(
    p: MemoryRef & {
      id: string;
      change: Optional<Omit<MemoryEntry, 'id' | 'score'>>;
    } & CallOptions,
  ): Promise<MemoryEntry | undefined> {
    const scope = scopeOf(p);
    assertText('id', p.id);
    if (!isPlainObject(p.change)) throw invalidInput('change', 'an object', p.change);
    assertMembers(p.change, 'change');
    if (p.change.scope !== undefined)
      throw new TholeError('INVALID_INPUT', 'change must not have a scope. The scope of an entry never changes.');
    p.signal?.throwIfAborted();
    const entry = await raceAbortWrite(
      this.#changes.run(userKeyOf(scope), () => changeEntry(this.#changeContext(scope), p.id, p.change)),
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
    const options = { limit, minScore, minRelevance, filter, explain, now, timeZone, signal, onMissing };
    const found = await this.#indexes.rank(scope, query, options);
    if (found.length === 0) return { memories: [], ...missing };
    const memories = orderReplaced(await loadResults(found, { store: this.#store, scope, filter, now, signal }));
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
    assertBoolean('keepEvidence', p.keepEvidence);
    p.signal?.throwIfAborted();
    if (p.ids.length === 0) return 0;
    const { ids, keepEvidence = false } = p;
    return this.#delete(scope, p, (context) => deleteEntries({ ...context, ids, keepEvidence }));
  }

  async deleteSessionMemory(
    p: SessionRef & MemoryRef & { events?: readonly Event[] | undefined } & CallOptions,
  ): Promise<number> {
    assertSessionRef(p);
    const { sessionId, events = [] } = p;
    assertEvents(events);
    p.signal?.throwIfAborted();
    const turns = turnsOf(sessionId, events);
    return this.#delete(scopeOf(p), p, (context) => deleteSessionEntries({ ...context, sessionId, turns }));
  }

  async deleteUserMemory(p: MemoryRef & CallOptions): Promise<number> {
    const scope = scopeOf(p);
    p.signal?.throwIfAborted();
    return raceAbortWrite(this.#store.remove(scope, 'everything', this.#runtime.now()), p.signal);
  }

  /**
   * Deletes entries that have expired or are older than `olderThan` (seconds), of an app or of one of its users. Returns the number of
   * deleted entries. As with `deleteMemory`, ingestion does not restore them, and facts without remaining evidence are
   * deleted too. A whole app includes its shared scopes. Throws `INVALID_INPUT` for a whole app if the store cannot list users
   * (`abilities.users`).
   */
  pruneMemories(p: PruneMemoriesRequest): Promise<number> {
    // Keeps evidence, because the evidence of an old fact may be new.
    const deleteOld = (scope: MemoryScope, ids: readonly string[], call: CallOptions): Promise<number> =>
      this.#delete(scope, call, (context) => deleteEntries({ ...context, ids, keepEvidence: true }));
    return pruneMemories({ store: this.#store, deleteEntries: deleteOld, now: this.#runtime.now() }, p);
  }

  /** Resolves when all active saves of indexes have ended. Has no time limit. Call it before the store is closed. */
  protected saved(): Promise<void> {
    return this.#indexes.saved();
  }

  #changeContext(scope: MemoryScope): ChangeContext {
    return { store: this.#store, indexes: this.#indexes, scope, now: this.#runtime.now() };
  }

  #delete(scope: MemoryScope, call: CallOptions, work: (p: DeletionContext) => Promise<number>): Promise<number> {
    const start = (): Promise<number> => work({ store: this.#store, scope, now: this.#runtime.now() });
    return raceAbortWrite(this.#changes.run(userKeyOf(scope), start), call.signal);
  }
}

function scopeOf(p: MemoryRef): MemoryScope {
  assertUser(p);
  return memoryKeyOf(p, p.scope);
}
