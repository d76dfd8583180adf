import { TholeError } from '@thole/core';
import {
  assertCount,
  assertSessionRef,
  invalidInput,
  isPlainObject,
  KeyedQueue,
  raceAbort,
  raceAbortWrite,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type {
  AddMemoryRequest,
  CallOptions,
  Event,
  JsonObject,
  MemoryEntry,
  MemoryFilter,
  MemoryRef,
  MemoryService,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Session,
  SessionRef,
} from '@thole/core';
import { matchesFilter } from '@thole/recall';
import {
  assertEvents,
  assertFilter,
  assertIds,
  assertMembers,
  assertSearch,
  assertText,
  copyEntry,
  filterByMinScore,
  hasExpired,
  newEntriesOf,
  thawEntry,
  turnsOf,
} from '@thole/recall/kit';
import { agentEngineOptionNames, AgentEngines } from '../client/agent-engine.ts';
import type { AgentEngineOptions } from '../client/agent-engine.ts';
import { assertGoogleOptions, googleOptionNames } from '../client/google-options.ts';
import type { GoogleOptions } from '../client/google-options.ts';
import { httpStatusOf } from '../client/map-google-error.ts';
import { quoted, VertexClient } from '../client/vertex-client.ts';
import type { VertexPath } from '../client/vertex-client.ts';
import { formatMicros, toMicros } from '../session/wire-time.ts';
import { fromBankMemory, memoryIdOf, toBankMemory } from './bank-memory.ts';
import { readBankMetadata } from './bank-metadata.ts';
import type { BankMetadata } from './bank-metadata.ts';
import { comparePlaces, formatPlace, parsePlace, placeIn } from './bank-place.ts';
import type { BankPlace } from './bank-place.ts';
import { bankScopeKey, bankScopeOf, isSameScope } from './bank-scope.ts';
import type { BankScope } from './bank-scope.ts';

/** Maximum number of facts in one request of `memories:generate`. */
const MAX_DIRECT_MEMORIES = 5;
/** Maximum number of results of a search, and of memories on a page. */
const MAX_RESULTS = 100;

/** Options of `VertexAiMemoryBankService`. */
export interface VertexAiMemoryBankServiceOptions extends AgentEngineOptions, GoogleOptions {
  /** Default number of results. Default: 10. */
  topK?: number | undefined;
  /** ADK's keys of custom metadata for every ingestion, such as `wait_for_completion` or `force_flush`. */
  customMetadata?: JsonObject | undefined;
}

/** Custom metadata of a call, with ADK's keys. Default: that of the service. */
export interface BankCallOptions {
  customMetadata?: JsonObject | undefined;
}

/**
 * Memory in Vertex AI Memory Bank. Google's models extract facts from conversations, merge them and find them by meaning:
 * the turns themselves are not stored.
 */
export class VertexAiMemoryBankService implements MemoryService {
  readonly #client: VertexClient;
  readonly #engines: AgentEngines;
  readonly #topK: number;
  readonly #customMetadata: JsonObject;
  /** Runs changes of one entry one at a time. */
  readonly #changes = new KeyedQueue();

  constructor(options: VertexAiMemoryBankServiceOptions = {}) {
    const owner = 'VertexAiMemoryBankService';
    rejectUnknownOptions(options, [...googleOptionNames, ...agentEngineOptionNames, 'topK', 'customMetadata'], owner);
    assertGoogleOptions(options, owner);
    const { topK = 10, customMetadata = {} } = options;
    assertCount('topK', topK, 1);
    readBankMetadata(customMetadata);
    this.#client = new VertexClient(options);
    this.#engines = new AgentEngines(options, owner);
    this.#topK = topK;
    this.#customMetadata = customMetadata;
  }

  async addSessionToMemory(session: Session, call: CallOptions & BankCallOptions = {}): Promise<void> {
    if (typeof session !== 'object' || session === null) throw invalidInput('session', 'a Session', session);
    const { appName, userId, id: sessionId, events } = session;
    await this.addEventsToMemory({ appName, userId, sessionId, events, ...call });
  }

  /**
   * Sends the texts of the events to Memory Bank, which extracts facts from them later. With keys of ADK that only
   * `memories:generate` has, it extracts them at once, and waits for that with `wait_for_completion`.
   */
  async addEventsToMemory(p: SessionRef & { events: readonly Event[] } & CallOptions & BankCallOptions): Promise<void> {
    assertSessionRef(p);
    assertEvents(p.events);
    const scope = bankScopeOf({ appName: p.appName, userId: p.userId });
    const metadata = readBankMetadata(p.customMetadata ?? this.#customMetadata);
    const turns = turnsOf(p.sessionId, p.events);
    p.signal?.throwIfAborted();
    if (turns.length === 0) return;
    const adding = metadata.needsGenerate
      ? this.#generate(p.appName, { directContentsSource: contentsOf(turns), scope }, metadata)
      : this.#ingest(p, scope, turns, metadata);
    await raceAbortWrite(adding, p.signal);
  }

  /**
   * Writes entries directly. With `enable_consolidation`, Memory Bank merges their texts with its facts instead: it may
   * change or drop them, and their other members are not stored.
   */
  async addMemory(p: AddMemoryRequest & BankCallOptions): Promise<MemoryEntry[]> {
    const metadata = readBankMetadata(p.customMetadata ?? {});
    const groups = newEntriesOf(p, this.#client.runtime);
    if (metadata.memoryId !== undefined && groups.reduce((sum, { entries }) => sum + entries.length, 0) > 1)
      throw new TholeError('INVALID_INPUT', 'customMetadata.memory_id needs exactly one entry.');
    p.signal?.throwIfAborted();
    const added: MemoryEntry[] = [];
    for (const group of groups) {
      const entries = withGivenId(group.entries, metadata.memoryId);
      const scope = bankScopeOf({ appName: p.appName, userId: p.userId, scope: entries[0]!.scope });
      const adding = metadata.consolidates
        ? this.#consolidate(p.appName, scope, entries, metadata)
        : this.#write(p.appName, scope, entries, metadata);
      await raceAbortWrite(adding, p.signal);
      added.push(...entries.map(thawEntry));
    }
    return added;
  }

  async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    assertSearch(p);
    const scope = bankScopeOf(p);
    p.signal?.throwIfAborted();
    const { query, filter = {}, limit = this.#topK, minScore } = p;
    if (limit === 0 || query.trim() === '') return { memories: [] };
    const topK = Math.min(limit, MAX_RESULTS);
    let found = await this.#retrieve(p, scope, topK);
    let matching = this.#matching(found, filter);
    // The service does not know this package's filters, so its best results may all be left out.
    if (matching.length < limit && found.length === topK && topK < MAX_RESULTS) {
      found = await this.#retrieve(p, scope, MAX_RESULTS);
      matching = this.#matching(found, filter);
    }
    matching.sort((a, b) => b.score - a.score || (b.timestamp ?? 0) - (a.timestamp ?? 0));
    return { memories: filterByMinScore(matching, minScore).slice(0, limit) };
  }

  async getMemory(p: MemoryRef & { id: string } & CallOptions): Promise<MemoryEntry | undefined> {
    const scope = bankScopeOf(p);
    assertText('id', p.id);
    p.signal?.throwIfAborted();
    return (await raceAbort(this.#find(p.appName, scope, p.id), p.signal))?.entry;
  }

  async updateMemory(
    p: MemoryRef & { id: string; change: Partial<Omit<MemoryEntry, 'id' | 'score'>> } & CallOptions,
  ): Promise<MemoryEntry | undefined> {
    const scope = bankScopeOf(p);
    assertText('id', p.id);
    if (!isPlainObject(p.change)) throw invalidInput('change', 'an object', p.change);
    assertMembers(p.change, 'change');
    if (p.change.scope !== undefined)
      throw new TholeError('INVALID_INPUT', 'change must not have a scope. The scope of an entry never changes.');
    p.signal?.throwIfAborted();
    const updating = this.#changes.run(entryKey(scope, p.id), async () => {
      const found = await this.#find(p.appName, scope, p.id);
      if (!found) return undefined;
      const change = Object.fromEntries(Object.entries(p.change).filter(([, value]) => value !== undefined));
      const entry = copyEntry({ ...found.entry, ...change, id: p.id, scope: found.entry.scope }, 'change');
      try {
        await this.#patch(found.path, toBankMemory(entry, scope, this.#client.runtime.now()));
      } catch (error) {
        // Another process has deleted it in between.
        if (httpStatusOf(error) === 404) return undefined;
        throw error;
      }
      return thawEntry(entry);
    });
    return raceAbortWrite(updating, p.signal);
  }

  async listMemories(
    p: MemoryRef & {
      limit?: number | undefined;
      cursor?: string | undefined;
      filter?: MemoryFilter | undefined;
    } & CallOptions,
  ): Promise<{ memories: MemoryEntry[]; next?: string | undefined }> {
    const scope = bankScopeOf(p);
    const { limit = MAX_RESULTS, cursor, filter } = p;
    assertCount('limit', limit, 1);
    if (cursor !== undefined && typeof cursor !== 'string') throw invalidInput('cursor', 'a string', cursor);
    assertFilter(filter);
    const after = cursor === undefined ? undefined : parsePlace(cursor);
    const url = this.#client.url(this.#memories(p.appName));
    const query = { filter: scopeFilter(scope), orderBy: 'create_time' };
    const found: { place: BankPlace; entry: MemoryEntry }[] = [];
    p.signal?.throwIfAborted();
    // The service's pages shift when a memory is deleted in between, so each call reads all of the scope.
    for await (const memory of this.#client.pages({ url, query, signal: p.signal }, 'memories'))
      found.push({ place: placeIn(memory), entry: fromBankMemory(memory) });
    const now = this.#client.runtime.now();
    const matching = found
      .filter(({ place, entry }) => (!after || comparePlaces(place, after) > 0) && !hasExpired(entry, now))
      .filter(({ entry }) => matchesFilter(entry, filter ?? {}))
      .sort((a, b) => comparePlaces(a.place, b.place));
    const page = matching.slice(0, limit);
    const memories = page.map(({ entry }) => entry);
    if (matching.length <= limit) return { memories };
    return { memories, next: formatPlace(page.at(-1)!.place) };
  }

  /**
   * Deletes exactly these entries, not their evidence. Memory Bank keeps no record of them: a later ingestion of the same
   * turns may extract them again.
   */
  async deleteMemory(p: MemoryRef & { ids: readonly string[] } & CallOptions): Promise<number> {
    const scope = bankScopeOf(p);
    assertIds('ids', p.ids);
    p.signal?.throwIfAborted();
    let count = 0;
    for (const id of new Set(p.ids)) {
      const deleting = this.#changes.run(entryKey(scope, id), () => this.#delete(p.appName, scope, id));
      if (await raceAbortWrite(deleting, p.signal)) count++;
    }
    return count;
  }

  async deleteUserMemory(p: MemoryRef & CallOptions): Promise<number> {
    const scope = bankScopeOf(p);
    p.signal?.throwIfAborted();
    const { location } = this.#engines.of(p.appName);
    const url = this.#client.url(this.#memories(p.appName), ':purge');
    const body = { filter: scopeFilter(scope), force: true };
    const purging = this.#client.operation({ method: 'POST', url, body }, location);
    return Number((await raceAbortWrite(purging, p.signal))['purgeCount'] ?? 0);
  }

  async #retrieve(
    { appName, query, signal }: SearchMemoryRequest,
    scope: BankScope,
    topK: number,
  ): Promise<(MemoryEntry & { score: number })[]> {
    const body = { scope, similaritySearchParams: { searchQuery: query.toWellFormed(), topK } };
    const url = this.#client.url(this.#memories(appName), ':retrieve');
    const answer = await this.#client.json({ method: 'POST', isRead: true, url, body, signal });
    return (
      ((answer['retrievedMemories'] ?? []) as { memory: JsonObject; distance?: number }[])
        // The service compares the scope; a second check costs nothing.
        .filter(({ memory }) => isSameScope(scope, memory['scope']))
        .map(({ memory, distance = 0 }) => ({ ...fromBankMemory(memory), score: 1 / (1 + Math.max(0, distance)) }))
    );
  }

  #matching<T extends MemoryEntry>(entries: readonly T[], filter: MemoryFilter): T[] {
    const now = this.#client.runtime.now();
    return entries.filter((entry) => !hasExpired(entry, now) && matchesFilter(entry, filter));
  }

  async #ingest(
    p: SessionRef,
    scope: BankScope,
    turns: readonly MemoryEntry[],
    { ingest }: BankMetadata,
  ): Promise<void> {
    const events = turns.map(({ content, timestamp, eventId }) => ({
      content: wellFormed(content),
      // Unique in the stream, which is the session: the service ingests each event once.
      eventId: eventId!,
      eventTime: formatMicros(toMicros(timestamp!)),
    }));
    const body = { streamId: p.sessionId, ...ingest, directContentsSource: { events }, scope };
    const url = this.#client.url(this.#memories(p.appName), ':ingestEvents');
    await this.#client.json({ method: 'POST', url, body: body as unknown as JsonObject });
  }

  async #generate(appName: string, source: JsonObject, metadata: BankMetadata): Promise<void> {
    const url = this.#client.url(this.#memories(appName), ':generate');
    const body = { ...source, ...metadata.generate, ...(metadata.metadata && { metadata: metadata.metadata }) };
    const started = await this.#client.json({ method: 'POST', url, body, isUnrepeatable: true });
    if (metadata.waitsForCompletion) await this.#client.finished(started, this.#engines.of(appName).location);
  }

  async #consolidate(
    appName: string,
    scope: BankScope,
    entries: readonly MemoryEntry[],
    metadata: BankMetadata,
  ): Promise<void> {
    const now = this.#client.runtime.now();
    for (let i = 0; i < entries.length; i += MAX_DIRECT_MEMORIES) {
      const facts = entries.slice(i, i + MAX_DIRECT_MEMORIES).map((entry) => toBankMemory(entry, scope, now)['fact']!);
      const directMemories = facts.map((fact) => ({ fact }));
      await this.#generate(appName, { directMemoriesSource: { directMemories }, scope }, metadata);
    }
  }

  async #write(
    appName: string,
    scope: BankScope,
    entries: readonly MemoryEntry[],
    { create, metadata, memoryId: givenId }: BankMetadata,
  ): Promise<void> {
    const { location, name } = this.#memories(appName);
    for (const entry of entries) {
      const memory = toBankMemory(entry, scope, this.#client.runtime.now());
      const body: JsonObject = {
        ...memory,
        ...create,
        metadata: { ...(memory['metadata'] as JsonObject), ...metadata },
      };
      // Only one of the two may be set.
      if (create['ttl'] !== undefined) delete body['expireTime'];
      const memoryId = givenId ?? (await memoryIdOf(scope, entry.id));
      await this.#changes.run(entryKey(scope, entry.id), async () => {
        try {
          const url = this.#client.url({ location, name });
          await this.#client.operation({ method: 'POST', url, query: { memoryId }, body }, location);
        } catch (error) {
          if (!isTaken(error)) throw error;
          const path = { location, name: `${name}/${memoryId}` };
          if (givenId !== undefined) await this.#assertScope(path, scope);
          await this.#patch(path, body);
        }
      });
    }
  }

  /** Ids of callers are unique in an engine, across its users. */
  async #assertScope(path: VertexPath, scope: BankScope): Promise<void> {
    const memory = await this.#client.json({ url: this.#client.url(path) });
    if (!isSameScope(scope, memory['scope']))
      throw new TholeError('INVALID_INPUT', 'customMetadata.memory_id is the id of a memory of another user or scope.');
  }

  async #patch(path: VertexPath, body: JsonObject): Promise<void> {
    const others = ['displayName', 'description', 'topics'].filter((name) => body[name] !== undefined);
    const expiry = body['ttl'] === undefined ? 'expireTime' : 'ttl';
    const query = { updateMask: ['fact', 'metadata', expiry, ...others].join(',') };
    await this.#client.operation({ method: 'PATCH', url: this.#client.url(path), query, body }, path.location);
  }

  async #delete(appName: string, scope: BankScope, id: string): Promise<boolean> {
    const found = await this.#find(appName, scope, id);
    if (!found) return false;
    try {
      await this.#client.operation({ method: 'DELETE', url: this.#client.url(found.path) }, found.path.location);
      return true;
    } catch (error) {
      if (httpStatusOf(error) === 404) return false;
      throw error;
    }
  }

  /** Finds an entry that was added with this id, or a fact of the service with this id. */
  async #find(
    appName: string,
    scope: BankScope,
    id: string,
  ): Promise<{ path: VertexPath; entry: MemoryEntry } | undefined> {
    const { location, name } = this.#memories(appName);
    const candidates = [await memoryIdOf(scope, id), ...(/^[\w-]{1,63}$/.test(id) ? [id] : [])];
    for (const candidate of candidates) {
      const path = { location, name: `${name}/${candidate}` };
      try {
        const memory = await this.#client.json({ url: this.#client.url(path) });
        const entry = fromBankMemory(memory);
        if (!isSameScope(scope, memory['scope']) || entry.id !== id) continue;
        return hasExpired(entry, this.#client.runtime.now()) ? undefined : { path, entry };
      } catch (error) {
        const status = httpStatusOf(error);
        if (status !== 404 && status !== 400) throw error;
      }
    }
    return undefined;
  }

  #memories(appName: string): VertexPath {
    const { location, name } = this.#engines.of(appName);
    return { location, name: `${name}/memories` };
  }
}

/** An entry with an id of the service has the same id here. */
function withGivenId(entries: readonly MemoryEntry[], id: string | undefined): readonly MemoryEntry[] {
  return id === undefined ? entries : entries.map((entry) => ({ ...entry, id }));
}

function contentsOf(turns: readonly MemoryEntry[]): JsonObject {
  return { events: turns.map(({ content }) => ({ content: wellFormed(content) })) };
}

/** Returns the texts of a turn. Memory Bank knows the roles `user` and `model`. */
function wellFormed({ role, parts = [] }: MemoryEntry['content']): JsonObject {
  const texts = parts.map(({ text = '' }) => ({ text: text.toWellFormed().replaceAll('\0', '\ufffd') }));
  return { role: role ?? 'user', parts: texts };
}

function scopeFilter(scope: BankScope): string {
  return `scope=${quoted(JSON.stringify(scope))}`;
}

function entryKey(scope: BankScope, id: string): string {
  return JSON.stringify([bankScopeKey(scope), id]);
}

function isTaken(error: unknown): boolean {
  const { cause } = error as { cause?: { message?: string } };
  const status = httpStatusOf(error);
  return status === 409 || (status === 400 && /already exists/i.test(cause?.message ?? ''));
}
