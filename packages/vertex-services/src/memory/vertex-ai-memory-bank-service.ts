import { TholeError } from '@thole/core';
import {
  assertCount,
  assertSessionRef,
  definedMembers,
  invalidInput,
  isPlainObject,
  optionNames,
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
  Optional,
  Runtime,
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
import { pingEngine } from '../client/ping-engine.ts';
import { VertexClient } from '../client/vertex-client.ts';
import { BankClient, toWellFormedContent } from './bank-client.ts';
import { fromBankMemory } from './bank-memory.ts';
import { readBankMetadata } from './bank-metadata.ts';
import { comparePlaces, formatPlace, parsePlace, bankPlaceOf } from './bank-place.ts';
import type { BankPlace } from './bank-place.ts';
import { bankScopeOf } from './bank-scope.ts';

/** Maximum number of results of a search, and of memories on a page. */
const MAX_RESULTS = 100;

/** Options of `VertexAiMemoryBankService`. */
export interface VertexAiMemoryBankServiceOptions extends AgentEngineOptions, GoogleOptions {
  /** Number of results of a search without `limit`. Default: 10. */
  topK?: number | undefined;
  /** ADK's keys of custom metadata for every ingestion, such as `wait_for_completion` or `force_flush`. Default: none. */
  customMetadata?: JsonObject | undefined;
}

const ownOptionNames = optionNames<
  Omit<VertexAiMemoryBankServiceOptions, keyof GoogleOptions | keyof AgentEngineOptions>
>({ topK: true, customMetadata: true });

/** Options of a call of `VertexAiMemoryBankService`. */
export interface BankCallOptions {
  /** Custom metadata with ADK's keys. Default: `customMetadata` of the service for ingestion, none for `addMemory`. */
  customMetadata?: JsonObject | undefined;
}

/**
 * Memory in Vertex AI Memory Bank. Google's models extract facts from conversations, merge them and find them by meaning:
 * the turns themselves are not stored.
 */
export class VertexAiMemoryBankService implements MemoryService {
  readonly #client: VertexClient;
  readonly #engines: AgentEngines;
  readonly #bank: BankClient;
  readonly #runtime: Runtime;
  readonly #topK: number;
  readonly #customMetadata: JsonObject;

  constructor(options: VertexAiMemoryBankServiceOptions = {}) {
    const owner = 'VertexAiMemoryBankService';
    rejectUnknownOptions(options, [...googleOptionNames, ...agentEngineOptionNames, ...ownOptionNames], owner);
    assertGoogleOptions(options, owner);
    const { topK = 10, customMetadata = {} } = options;
    assertCount('topK', topK, 1);
    readBankMetadata(customMetadata);
    this.#client = new VertexClient(options);
    this.#engines = new AgentEngines(options, owner);
    this.#bank = new BankClient(this.#client, this.#engines);
    this.#runtime = this.#client.runtime;
    this.#topK = topK;
    this.#customMetadata = customMetadata;
  }

  /**
   * Resolves if the account may read the memories of the Agent Engine. Throws `STORE_UNAVAILABLE` otherwise, and `INVALID_INPUT`
   * without `appName` if `agentEngineId` is not a string.
   */
  async ping(p: { appName?: string | undefined } = {}): Promise<void> {
    await pingEngine(this.#client, this.#engines, { list: 'memories', appName: p.appName });
  }

  async addSessionToMemory(session: Session, call: CallOptions & BankCallOptions = {}): Promise<void> {
    if (typeof session !== 'object' || session === null) throw invalidInput('session', 'a Session', session);
    const { appName, userId, id: sessionId, events } = session;
    await this.addEventsToMemory({ appName, userId, sessionId, events, ...call });
  }

  /**
   * Sends the texts of the events to Memory Bank, which extracts facts from them later. With ADK's keys for
   * `memories:generate`, Memory Bank extracts the facts at once. With `wait_for_completion` the call waits for them.
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
      ? this.#bank.generate(p.appName, { directContentsSource: contentsOf(turns), scope }, metadata)
      : this.#bank.ingest(p, scope, turns, metadata);
    await raceAbortWrite(adding, p.signal);
  }

  /**
   * Writes entries directly. With `enable_consolidation`, Memory Bank merges their texts with its facts instead: it may
   * change or drop the texts, and does not store other members of the entries.
   */
  async addMemory(p: AddMemoryRequest & BankCallOptions): Promise<MemoryEntry[]> {
    const metadata = readBankMetadata(p.customMetadata ?? {});
    const groups = newEntriesOf(p, this.#runtime);
    if (metadata.memoryId !== undefined && groups.reduce((sum, { entries }) => sum + entries.length, 0) > 1)
      throw new TholeError('INVALID_INPUT', 'customMetadata.memory_id needs exactly one entry.');
    p.signal?.throwIfAborted();
    const added: MemoryEntry[] = [];
    for (const group of groups) {
      const entries = withGivenId(group.entries, metadata.memoryId);
      const scope = bankScopeOf({ appName: p.appName, userId: p.userId, scope: entries[0]!.scope });
      const adding = metadata.consolidates
        ? this.#bank.consolidate(p.appName, scope, entries, metadata)
        : this.#bank.write(p.appName, scope, entries, metadata);
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
    let found = await this.#bank.retrieve(p, scope, topK);
    let matching = this.#filterMatching(found, filter);
    // The service does not apply this package's filters, so the filter may remove its best results.
    if (matching.length < limit && found.length === topK && topK < MAX_RESULTS) {
      found = await this.#bank.retrieve(p, scope, MAX_RESULTS);
      matching = this.#filterMatching(found, filter);
    }
    matching.sort((a, b) => b.score - a.score || (b.timestamp ?? 0) - (a.timestamp ?? 0));
    return { memories: filterByMinScore(matching, minScore).slice(0, limit) };
  }

  async getMemory(p: MemoryRef & { id: string } & CallOptions): Promise<MemoryEntry | undefined> {
    const scope = bankScopeOf(p);
    assertText('id', p.id);
    p.signal?.throwIfAborted();
    return (await raceAbort(this.#bank.find(p.appName, scope, p.id), p.signal))?.entry;
  }

  async updateMemory(
    p: MemoryRef & {
      id: string;
      change: Optional<Omit<MemoryEntry, 'id' | 'score'>>;
    } & CallOptions,
  ): Promise<MemoryEntry | undefined> {
    const scope = bankScopeOf(p);
    assertText('id', p.id);
    if (!isPlainObject(p.change)) throw invalidInput('change', 'an object', p.change);
    assertMembers(p.change, 'change');
    if (p.change.scope !== undefined)
      throw new TholeError('INVALID_INPUT', 'change must not have a scope. The scope of an entry never changes.');
    p.signal?.throwIfAborted();
    const change = definedMembers(p.change);
    const updating = this.#bank.update(p.appName, scope, {
      id: p.id,
      change: (entry) => copyEntry({ ...entry, ...change, id: p.id, scope: entry.scope }, 'change'),
    });
    const entry = await raceAbortWrite(updating, p.signal);
    return entry && thawEntry(entry);
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
    const found: { place: BankPlace; entry: MemoryEntry }[] = [];
    p.signal?.throwIfAborted();
    // The service's pages shift when a memory is deleted in between, so each call reads all memories of the scope.
    for await (const memory of this.#bank.list(p.appName, scope, p.signal))
      found.push({ place: bankPlaceOf(memory), entry: fromBankMemory(memory) });
    const now = this.#runtime.now();
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
   * Deletes exactly these entries, not their evidence. Memory Bank keeps no record of deletions: a later ingestion of the
   * same turns may extract the same facts again.
   */
  async deleteMemory(p: MemoryRef & { ids: readonly string[] } & CallOptions): Promise<number> {
    const scope = bankScopeOf(p);
    assertIds('ids', p.ids);
    p.signal?.throwIfAborted();
    let count = 0;
    for (const id of new Set(p.ids)) {
      if (await raceAbortWrite(this.#bank.delete(p.appName, scope, id), p.signal)) count++;
    }
    return count;
  }

  async deleteUserMemory(p: MemoryRef & CallOptions): Promise<number> {
    const scope = bankScopeOf(p);
    p.signal?.throwIfAborted();
    return raceAbortWrite(this.#bank.purge(p.appName, scope), p.signal);
  }

  #filterMatching<T extends MemoryEntry>(entries: readonly T[], filter: MemoryFilter): T[] {
    const now = this.#runtime.now();
    return entries.filter((entry) => !hasExpired(entry, now) && matchesFilter(entry, filter));
  }
}

// An entry that the service stores under a given id also has this id here.
function withGivenId(entries: readonly MemoryEntry[], id: string | undefined): readonly MemoryEntry[] {
  return id === undefined ? entries : entries.map((entry) => ({ ...entry, id }));
}

function contentsOf(turns: readonly MemoryEntry[]): JsonObject {
  return { events: turns.map(({ content }) => ({ content: toWellFormedContent(content) })) };
}
