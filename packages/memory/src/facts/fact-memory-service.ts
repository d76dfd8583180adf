import { systemRuntime } from '@thole/core';
import { assertUser, isCurrentMemory, raceAbort, userKeyOf } from '@thole/core/kit';
import type {
  AddMemoryRequest,
  CallOptions,
  Event,
  MemoryEntry,
  MemoryFilter,
  MemoryRef,
  MemoryService,
  Runtime,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Session,
  SessionRef,
  UserRef,
} from '@thole/core';
import { timeZoneOf } from '../user-time-zone.ts';
import { fullMemory } from '../full-memory.ts';
import type { FullMemory } from '../full-memory.ts';
import { holdLease } from '../lease/hold-lease.ts';
import { KeyedQueue } from '../keyed-queue.ts';
import { withoutMark } from './digest-mark.ts';
import { digestTurns } from './digest-turns.ts';
import type { FactReport } from './digest-turns.ts';
import type { FactExtractor } from './fact-extractor.ts';
import { assertFactMemoryOptions } from './fact-memory-options.ts';
import type { FactMemoryServiceOptions } from './fact-memory-options.ts';
import { LlmFactExtractor } from './llm-fact-extractor.ts';
import { hasEvents, placeholdersOf, withoutTurns } from './turn-placeholders.ts';

/** The name of the lease under which facts are made: no session's, so that turns never wait for it. */
const FACTS_LEASE_ID = 'thole:facts';
const LEASE_WAIT_MS = 300_000;
const LIST_LIMIT = 100;
const EMPTY_REPORT: FactReport = { turns: 0, added: 0, superseded: 0, dropped: 0, refused: 0 };

/**
 * Memory that draws facts from what was said. `addSessionToMemory` keeps the turns first and then makes facts of those of
 * which none were made; when the model fails it throws, the turns are kept, and the next call goes on where it stopped. Everything
 * else is the wrapped service's, but for lists: without `filter.kinds` they show notes and the facts that are true now.
 * With `keepTurns: false` no text of a turn is stored: see `FactMemoryServiceOptions`.
 */
export class FactMemoryService implements MemoryService {
  readonly #memory: FullMemory;
  readonly #extractor: FactExtractor;
  readonly #options: FactMemoryServiceOptions;
  readonly #runtime: Runtime;
  readonly #holder: string;
  readonly #queue = new KeyedQueue();

  constructor(options: FactMemoryServiceOptions) {
    assertFactMemoryOptions(options);
    const { llm, instructions, extractor, timeoutMs, runtime = systemRuntime() } = options;
    this.#memory = fullMemory(options.memory, 'FactMemoryService');
    this.#extractor = extractor ?? new LlmFactExtractor({ llm: llm!, instructions, timeoutMs, runtime });
    this.#options = options;
    this.#runtime = runtime;
    this.#holder = runtime.newId('facts');
  }

  async addSessionToMemory(session: Session, call: CallOptions = {}): Promise<void> {
    const { appName, userId, id: sessionId, events } = session ?? {};
    const p = { appName, userId, sessionId, events, signal: call.signal };
    if (!this.#keepsTurns && hasEvents(p)) return this.#addFactsOnly(p, true);
    await this.#memory.addSessionToMemory(session, call);
    await this.makeFacts(p);
  }

  /** Keeps the turns. Facts are made of them when their session is added, or by `makeFacts`; at once with `extractFromEvents`. */
  async addEventsToMemory(p: SessionRef & { events: readonly Event[] } & CallOptions): Promise<void> {
    if (!this.#keepsTurns && hasEvents(p)) return this.#addFactsOnly(p, this.#options.extractFromEvents ?? false);
    await this.#memory.addEventsToMemory(p);
    if (this.#options.extractFromEvents) await this.makeFacts(p);
  }

  async #addFactsOnly(p: SessionRef & { events: readonly Event[] } & CallOptions, extracts: boolean): Promise<void> {
    const { events, texts } = placeholdersOf(p.sessionId, p.events);
    await this.#memory.addEventsToMemory({ ...p, events });
    if (extracts) await this.#digest(p, texts);
  }

  /**
   * Makes facts of the remembered turns of one session, or of all of the user's, of which none were made yet, and says what
   * was done. No model is asked when there are none. One at a time for each user. With `keepTurns: false` there are no texts to
   * read, so it does nothing: add the session instead.
   */
  async makeFacts(p: UserRef & { sessionId?: string | undefined } & CallOptions): Promise<FactReport> {
    assertUser(p);
    p.signal?.throwIfAborted();
    return this.#keepsTurns ? this.#digest(p, undefined) : { ...EMPTY_REPORT };
  }

  #digest(
    p: UserRef & { sessionId?: string | undefined } & CallOptions,
    texts: ReadonlyMap<string, string> | undefined,
  ): Promise<FactReport> {
    const user = { appName: p.appName, userId: p.userId };
    const digest = async (signal: AbortSignal | undefined): Promise<FactReport> => {
      const { evidenceFrom = 'user', batchTokens = 4_000, contextTokens = 1_000, knownFacts = 30 } = this.#options;
      const { sessionId } = p;
      const limits = { batchTokens, contextTokens, knownFacts };
      const tools = { memory: this.#memory, extractor: this.#extractor, runtime: this.#runtime };
      const timeZone = await timeZoneOf(user, this.#options.timeZone, this.#runtime);
      return digestTurns({ ...tools, user, sessionId, texts, evidenceFrom, timeZone, limits, signal });
    };
    const { leasing } = this.#options;
    const work = (): Promise<FactReport> => {
      p.signal?.throwIfAborted();
      if (!leasing) return digest(p.signal);
      const key = { ...user, sessionId: FACTS_LEASE_ID };
      const how = { runtime: this.#runtime, holder: this.#holder, waitMs: LEASE_WAIT_MS, signal: p.signal };
      return holdLease({ leasing, key, ...how }, digest);
    };
    return raceAbort(this.#queue.run(userKeyOf(user), work), p.signal);
  }

  async addMemory(p: AddMemoryRequest): Promise<MemoryEntry[]> {
    return (await this.#memory.addMemory(p)).map(withoutMark);
  }

  async getMemory(p: MemoryRef & { id: string } & CallOptions): Promise<MemoryEntry | undefined> {
    const entry = await this.#memory.getMemory(p);
    // Without turns, an entry of this kind only marks a turn whose facts were made.
    if (!entry || (entry.kind === 'turn' && !this.#keepsTurns)) return undefined;
    return withoutMark(entry);
  }

  async updateMemory(
    p: UserRef & { id: string; change: Partial<Omit<MemoryEntry, 'id' | 'score'>> } & CallOptions,
  ): Promise<MemoryEntry | undefined> {
    const entry = await this.#memory.updateMemory(p);
    return entry && withoutMark(entry);
  }

  /** Facts, turns and notes in one ranking; `kind` says which is which, `validTo` and `supersededBy` what is past. */
  async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    const filter = this.#keepsTurns ? p.filter : withoutTurns(p.filter);
    if (!filter && !this.#keepsTurns) return { memories: [] };
    const response = await this.#memory.searchMemory({ ...p, filter });
    return { ...response, memories: response.memories.map(withoutMark) };
  }

  /** Without `filter.kinds` notes, and facts that are true now; with them everything of these kinds, past facts too. */
  async listMemories(
    p: UserRef & {
      limit?: number | undefined;
      cursor?: string | undefined;
      filter?: MemoryFilter | undefined;
    } & CallOptions,
  ): Promise<{ memories: MemoryEntry[]; next?: string | undefined }> {
    if (p.filter?.kinds !== undefined || typeof (p.filter ?? {}) !== 'object') {
      const filter = this.#keepsTurns ? p.filter : withoutTurns(p.filter);
      if (!filter) return { memories: [] };
      const { memories, ...rest } = await this.#memory.listMemories({ ...p, filter });
      return { ...rest, memories: memories.map(withoutMark) };
    }
    const limit = p.limit ?? LIST_LIMIT;
    const filter: MemoryFilter = { ...p.filter, kinds: ['fact', 'note'] };
    const memories: MemoryEntry[] = [];
    let { cursor } = p;
    do {
      // Only what is still wanted is asked for, so that the page's cursor is the list's.
      const page = await this.#memory.listMemories({ ...p, filter, cursor, limit: limit - memories.length });
      const at = p.filter?.validAt;
      memories.push(
        ...page.memories.filter((entry) => at !== undefined || isCurrentMemory(entry, this.#runtime.now())),
      );
      cursor = page.next;
    } while (cursor !== undefined && memories.length < limit);
    return cursor === undefined ? { memories } : { memories, next: cursor };
  }

  get #keepsTurns(): boolean {
    return this.#options.keepTurns ?? true;
  }

  deleteMemory(
    p: UserRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & CallOptions,
  ): Promise<number> {
    return this.#memory.deleteMemory(p);
  }

  deleteSessionMemory(p: SessionRef & { events?: readonly Event[] | undefined } & CallOptions): Promise<number> {
    return this.#memory.deleteSessionMemory(p);
  }

  deleteUserMemory(p: UserRef & CallOptions): Promise<number> {
    return this.#memory.deleteUserMemory(p);
  }
}
