import { systemRuntime } from '@thole/core';
import {
  assertUser,
  createTimeZoneReader,
  ingestibleEvents,
  isCurrentMemory,
  isPlainObject,
  KeyedQueue,
  raceAbort,
  userKeyOf,
} from '@thole/core/kit';
import type { TimeZoneReader } from '@thole/core/kit';
import type {
  AddMemoryRequest,
  CallOptions,
  Event,
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
  UserRef,
} from '@thole/core';
import { findUserTimeZone } from '../find-user-time-zone.ts';
import { requireMemory } from '../require-memory.ts';
import type { FullMemory } from '../require-memory.ts';
import { holdLease } from '../lease/hold-lease.ts';
import { listStoredOf, setTraits, traitsOf } from '../wrapper-traits.ts';
import { addMark, hasExtractedFacts, removeMark } from './extraction-mark.ts';
import { extractFacts } from './extract-facts.ts';
import type { FactReport } from './extract-facts.ts';
import type { FactExtractor } from './fact-extractor.ts';
import { assertFactMemoryOptions } from './fact-memory-options.ts';
import type { FactMemoryServiceOptions } from './fact-memory-options.ts';
import { CALL_TIMEOUT_MS, LlmFactExtractor } from './llm-fact-extractor.ts';
import { createPlaceholders, excludeTurns, hasEvents, hideTurnText } from './turn-placeholders.ts';

/** Session id of the lease for extracting facts. It is not the id of a session, so that runs never wait for it. */
const FACTS_LEASE_ID = 'thole:facts';
const LEASE_WAIT_MS = 300_000;
/** Time in milliseconds for reading and writing entries before and after a call of the extractor. */
const STORE_MS = 30_000;
/** Default maximum number of entries in a list. */
const LIST_LIMIT = 100;
const EMPTY_REPORT: FactReport = { turns: 0, added: 0, superseded: 0, dropped: 0, rejected: 0 };

/**
 * A memory service that extracts facts from conversations. `addSessionToMemory` stores the turns and then extracts facts from new
 * turns. If the model fails, it throws. The turns stay stored, and the next call continues. Lists without `filter.kinds` contain notes
 * and current facts. All other calls are passed to the wrapped service. With `keepTurns: false` no text of a turn is stored.
 */
export class FactMemoryService implements MemoryService {
  readonly #memory: FullMemory;
  readonly #extractor: FactExtractor;
  readonly #options: FactMemoryServiceOptions;
  readonly #runtime: Runtime;
  readonly #readTimeZone: TimeZoneReader;
  readonly #holder: string;
  readonly #queue = new KeyedQueue();

  constructor(options: FactMemoryServiceOptions) {
    assertFactMemoryOptions(options);
    const { llm, instructions, extractor, timeoutMs, runtime = systemRuntime() } = options;
    this.#memory = requireMemory(options.memory, 'FactMemoryService');
    this.#extractor = extractor ?? new LlmFactExtractor({ llm: llm!, instructions, timeoutMs, runtime });
    this.#options = options;
    this.#runtime = runtime;
    this.#readTimeZone = createTimeZoneReader(options.timeZone);
    this.#holder = runtime.newId('facts');
    setTraits(this, {
      // Placeholders of turns are not exported.
      listStored: this.#keepsTurns ? listStoredOf(this.#memory) : undefined,
      ingestMs: options.extractFromEvents ? (timeoutMs ?? CALL_TIMEOUT_MS) + STORE_MS : traitsOf(this.#memory).ingestMs,
    });
  }

  async addSessionToMemory(session: Session, call: CallOptions = {}): Promise<void> {
    const { appName, userId, id: sessionId } = session ?? {};
    const events =
      Array.isArray(session?.events) && session.events.every(Boolean) ? ingestibleEvents(session) : session?.events;
    const p = { appName, userId, sessionId, events, signal: call.signal };
    if (!this.#keepsTurns && hasEvents(p)) return this.#addFactsOnly(p, true);
    await this.#memory.addSessionToMemory(session, call);
    await this.makeFacts(p);
  }

  /** Stores the turns. Facts are extracted when the session is added or by `makeFacts`; with `extractFromEvents` immediately. */
  async addEventsToMemory(p: SessionRef & { events: readonly Event[] } & CallOptions): Promise<void> {
    if (!this.#keepsTurns && hasEvents(p)) return this.#addFactsOnly(p, this.#options.extractFromEvents ?? false);
    await this.#memory.addEventsToMemory(p);
    if (this.#options.extractFromEvents) await this.makeFacts(p);
  }

  async #addFactsOnly(
    p: SessionRef & { events: readonly Event[] } & CallOptions,
    extractsFacts: boolean,
  ): Promise<void> {
    const { events, texts } = createPlaceholders(p.sessionId, p.events);
    await this.#memory.addEventsToMemory({ ...p, events });
    if (extractsFacts) await this.#extractFacts(p, texts);
  }

  /**
   * Extracts facts from new stored turns, of one session or of all sessions of the user. Does not call the model without new turns.
   * Only one call per user runs at a time. With `keepTurns: false` it does nothing, because no texts are stored: add the session
   * instead.
   */
  async makeFacts(p: UserRef & { sessionId?: string | undefined } & CallOptions): Promise<FactReport> {
    assertUser(p);
    p.signal?.throwIfAborted();
    return this.#keepsTurns ? this.#extractFacts(p, undefined) : { ...EMPTY_REPORT };
  }

  #extractFacts(
    p: UserRef & { sessionId?: string | undefined } & CallOptions,
    texts: ReadonlyMap<string, string> | undefined,
  ): Promise<FactReport> {
    const user = { appName: p.appName, userId: p.userId };
    const extract = async (signal: AbortSignal | undefined): Promise<FactReport> => {
      const { evidenceFrom = 'user', batchTokens = 4_000, contextTokens = 1_000, knownFacts = 30 } = this.#options;
      const { sessionId } = p;
      const limits = { batchTokens, contextTokens, knownFacts };
      const deps = { memory: this.#memory, extractor: this.#extractor, runtime: this.#runtime };
      const timeZone = (await findUserTimeZone(user, this.#readTimeZone, this.#runtime))?.timeZone;
      return extractFacts({ ...deps, user, sessionId, texts, evidenceFrom, timeZone, limits, signal });
    };
    const { leasing } = this.#options;
    const work = (): Promise<FactReport> => {
      p.signal?.throwIfAborted();
      if (!leasing) return extract(p.signal);
      const key = { ...user, sessionId: FACTS_LEASE_ID };
      const leaseOptions = { runtime: this.#runtime, holder: this.#holder, waitMs: LEASE_WAIT_MS, signal: p.signal };
      return holdLease({ leasing, key, ...leaseOptions }, extract);
    };
    return raceAbort(this.#queue.run(userKeyOf(user), work), p.signal);
  }

  /** Stores entries unchanged, but with `keepTurns: false` turns without their texts. */
  async addMemory(p: AddMemoryRequest): Promise<MemoryEntry[]> {
    const hidesTurns = !this.#keepsTurns && Array.isArray(p?.memories);
    const added = await this.#memory.addMemory(hidesTurns ? { ...p, memories: p.memories!.map(hideTurnText) } : p);
    return added.map(removeMark);
  }

  async getMemory(p: MemoryRef & { id: string } & CallOptions): Promise<MemoryEntry | undefined> {
    const entry = await this.#findEntry(p);
    return entry && removeMark(entry);
  }

  /** Returns an entry with its mark. With `keepTurns: false`, a stored turn is only a placeholder and is not returned. */
  async #findEntry(p: MemoryRef & { id: string } & CallOptions): Promise<MemoryEntry | undefined> {
    const entry = await this.#memory.getMemory(p);
    return entry?.kind === 'turn' && !this.#keepsTurns ? undefined : entry;
  }

  /** Like `findSameMemories` of the wrapped service, without placeholders of turns. */
  async findSameMemories(p: MemoryRef & { ids: readonly string[] } & CallOptions): Promise<MemoryEntry[]> {
    const memory = requireMemory(this.#memory, 'findSameMemories', ['findSameMemories']);
    const entries = await memory.findSameMemories(p);
    return entries.filter(({ kind }) => kind !== 'turn' || this.#keepsTurns).map(removeMark);
  }

  async updateMemory(
    p: MemoryRef & {
      id: string;
      change: Optional<Omit<MemoryEntry, 'id' | 'score'>>;
    } & CallOptions,
  ): Promise<MemoryEntry | undefined> {
    let { change } = p;
    if (!this.#keepsTurns || isPlainObject(change?.customMetadata)) {
      const before = await this.#findEntry(p);
      if (!before) return undefined;
      // Callers do not see the mark of a turn, so their metadata must not remove it.
      if (hasExtractedFacts(before) && change?.customMetadata) change = { ...change, ...addMark(change) };
    }
    const entry = await this.#memory.updateMemory({ ...p, change });
    return entry && removeMark(entry);
  }

  /** Returns facts, turns and notes in one ranking. Past facts have `validTo` and `supersededBy`. */
  async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    const filter = this.#keepsTurns ? p.filter : excludeTurns(p.filter);
    if (!filter && !this.#keepsTurns) return { memories: [] };
    const response = await this.#memory.searchMemory({ ...p, filter });
    return { ...response, memories: response.memories.map(removeMark) };
  }

  /** Returns notes and current facts; with `filter.kinds` all entries of these kinds, including past facts. */
  async listMemories(
    p: MemoryRef & {
      limit?: number | undefined;
      cursor?: string | undefined;
      filter?: MemoryFilter | undefined;
    } & CallOptions,
  ): Promise<{ memories: MemoryEntry[]; next?: string | undefined }> {
    if (p.filter?.kinds !== undefined || typeof (p.filter ?? {}) !== 'object') {
      const filter = this.#keepsTurns ? p.filter : excludeTurns(p.filter);
      if (!filter) return { memories: [] };
      const { memories, ...rest } = await this.#memory.listMemories({ ...p, filter });
      return { ...rest, memories: memories.map(removeMark) };
    }
    const limit = p.limit ?? LIST_LIMIT;
    const filter: MemoryFilter = { ...p.filter, kinds: ['fact', 'note'] };
    const memories: MemoryEntry[] = [];
    let { cursor } = p;
    do {
      // Requests only the missing number of entries, so that the page's cursor is valid for the list.
      const page = await this.#memory.listMemories({ ...p, filter, cursor, limit: limit - memories.length });
      const validAt = p.filter?.validAt;
      memories.push(
        ...page.memories.filter((entry) => validAt !== undefined || isCurrentMemory(entry, this.#runtime.now())),
      );
      cursor = page.next;
    } while (cursor !== undefined && memories.length < limit);
    return cursor === undefined ? { memories } : { memories, next: cursor };
  }

  get #keepsTurns(): boolean {
    return this.#options.keepTurns ?? true;
  }

  deleteMemory(
    p: MemoryRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & CallOptions,
  ): Promise<number> {
    return this.#memory.deleteMemory(p);
  }

  deleteSessionMemory(
    p: SessionRef & MemoryRef & { events?: readonly Event[] | undefined } & CallOptions,
  ): Promise<number> {
    return this.#memory.deleteSessionMemory(p);
  }

  deleteUserMemory(p: MemoryRef & CallOptions): Promise<number> {
    return this.#memory.deleteUserMemory(p);
  }

  /** Closes the wrapped service, if it can be closed. */
  async close(): Promise<void> {
    await (this.#memory as { close?(): unknown }).close?.();
  }
}
