import {
  checkCount,
  checkUser,
  invalidInput,
  isCurrentMemory,
  orAborted,
  refuseUnknown,
  systemRuntime,
  TholeError,
  userKeyOf,
} from '@thole/core';
import type {
  Call,
  Event,
  Leasing,
  Llm,
  MemoryEntry,
  MemoryFilter,
  MemoryService,
  NewMemory,
  Runtime,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Session,
  SessionRef,
  UserRef,
} from '@thole/core';
import { fullMemory } from '../keeping/full-memory.ts';
import type { FullMemory } from '../keeping/full-memory.ts';
import { holdLease } from '../keeping/hold-lease.ts';
import { KeyedQueue } from '../keeping/keyed-queue.ts';
import { withoutMark } from './digest-mark.ts';
import { digestTurns } from './digest-turns.ts';
import type { FactReport } from './digest-turns.ts';
import type { FactExtractor } from './fact-extractor.ts';
import { LlmFactExtractor } from './llm-fact-extractor.ts';

/** What a `FactMemoryService` is made of. */
export interface FactMemoryServiceOptions {
  /** Keeps turns, facts and notes, and finds them: any service with every ability. Its store and embedder are its own affair. */
  memory: MemoryService;
  /** Finds the facts, through an `LlmFactExtractor`. */
  llm?: Llm | undefined;
  /** In place of `EXTRACTION_INSTRUCTIONS`: what is worth keeping. */
  instructions?: string | undefined;
  /** In place of `llm` and `instructions`. */
  extractor?: FactExtractor | undefined;
  /** Whose words a fact must rest on, next to anybody else's: the `user`'s (default), or `anyone`'s. */
  evidenceFrom?: 'user' | 'anyone' | undefined;
  /** Whether facts are also made of events that are added by themselves, and not only of sessions (false). */
  extractFromEvents?: boolean | undefined;
  /** About how many tokens of new turns are looked at in one call (4,000). */
  batchTokens?: number | undefined;
  /** About how many tokens of the turns before them stand beside (1,000). */
  contextTokens?: number | undefined;
  /** How many known facts stand beside, the most similar ones (30). */
  knownFacts?: number | undefined;
  /** The longest that one call of the model may take (60,000). */
  timeoutMs?: number | undefined;
  /** Leases (a session service's `leasing`), by which facts of one user are made in one process at a time. Without: one at a time in this process. */
  leasing?: Leasing | undefined;
  runtime?: Runtime | undefined;
}

const OPTIONS = [
  ...(['memory', 'llm', 'instructions', 'extractor', 'evidenceFrom', 'extractFromEvents', 'batchTokens'] as const),
  ...(['contextTokens', 'knownFacts', 'timeoutMs', 'leasing', 'runtime'] as const),
] satisfies readonly (keyof FactMemoryServiceOptions)[];

/** The name of the lease under which facts are made: no session's, so that turns never wait for it. */
const LEASE = 'thole:facts';
const LEASE_WAIT_MS = 300_000;
const LIST_LIMIT = 100;

/**
 * Memory that draws facts from what was said. `addSessionToMemory` keeps the turns first and then makes facts of those of
 * which none were made; when the model fails it throws, the turns are kept, and the next call goes on where it stopped. Everything
 * else is the wrapped service's, but for lists: without `filter.kinds` they show notes and the facts that are true now.
 */
export class FactMemoryService implements MemoryService {
  readonly #memory: FullMemory;
  readonly #extractor: FactExtractor;
  readonly #options: FactMemoryServiceOptions;
  readonly #runtime: Runtime;
  readonly #holder: string;
  readonly #queue = new KeyedQueue();

  constructor(options: FactMemoryServiceOptions) {
    refuseUnknown(options, OPTIONS, 'FactMemoryService');
    const { memory, llm, instructions, extractor, timeoutMs, evidenceFrom, runtime = systemRuntime() } = options;
    this.#memory = fullMemory(memory, 'FactMemoryService');
    if ((llm === undefined) === (extractor === undefined))
      throw new TholeError('INVALID_INPUT', 'FactMemoryService takes either llm or extractor.');
    if (extractor !== undefined && typeof extractor?.extract !== 'function')
      throw invalidInput('extractor', 'a FactExtractor', extractor);
    if (extractor && instructions !== undefined)
      throw new TholeError('INVALID_INPUT', 'instructions are for llm; an extractor has its own.');
    if (evidenceFrom !== undefined && evidenceFrom !== 'user' && evidenceFrom !== 'anyone')
      throw new TholeError('INVALID_INPUT', `evidenceFrom must be 'user' or 'anyone'.`);
    for (const name of ['batchTokens', 'contextTokens', 'knownFacts'] as const)
      if (options[name] !== undefined) checkCount(name, options[name], name === 'batchTokens' ? 1 : 0);
    this.#extractor = extractor ?? new LlmFactExtractor({ llm: llm!, instructions, timeoutMs, runtime });
    this.#options = options;
    this.#runtime = runtime;
    this.#holder = runtime.newId('facts');
  }

  async addSessionToMemory(session: Session, call: Call = {}): Promise<void> {
    await this.#memory.addSessionToMemory(session, call);
    const { appName, userId, id: sessionId } = session;
    await this.makeFacts({ appName, userId, sessionId, signal: call.signal });
  }

  /** Keeps the turns. Facts are made of them when their session is added, or by `makeFacts`; at once with `extractFromEvents`. */
  async addEventsToMemory(p: SessionRef & { events: readonly Event[] } & Call): Promise<void> {
    await this.#memory.addEventsToMemory(p);
    if (this.#options.extractFromEvents) await this.makeFacts(p);
  }

  /**
   * Makes facts of the remembered turns of one session, or of all of the user's, of which none were made yet, and says what
   * was done. No model is asked when there are none. One at a time for each user.
   */
  async makeFacts(p: UserRef & { sessionId?: string | undefined } & Call): Promise<FactReport> {
    checkUser(p);
    p.signal?.throwIfAborted();
    const user = { appName: p.appName, userId: p.userId };
    const digest = (signal: AbortSignal | undefined): Promise<FactReport> => {
      const { evidenceFrom = 'user', batchTokens = 4_000, contextTokens = 1_000, knownFacts = 30 } = this.#options;
      const { sessionId } = p;
      const limits = { batchTokens, contextTokens, knownFacts };
      const tools = { memory: this.#memory, extractor: this.#extractor, runtime: this.#runtime };
      return digestTurns({ ...tools, user, sessionId, evidenceFrom, limits, signal });
    };
    const { leasing } = this.#options;
    const work = (): Promise<FactReport> => {
      p.signal?.throwIfAborted();
      if (!leasing) return digest(p.signal);
      const key = { ...user, sessionId: LEASE };
      const how = { runtime: this.#runtime, holder: this.#holder, waitMs: LEASE_WAIT_MS, signal: p.signal };
      return holdLease({ leasing, key, ...how }, digest);
    };
    return orAborted(this.#queue.run(userKeyOf(user), work), p.signal);
  }

  async addMemory(p: UserRef & { memories: readonly NewMemory[] } & Call): Promise<MemoryEntry[]> {
    return (await this.#memory.addMemory(p)).map(withoutMark);
  }

  async updateMemory(
    p: UserRef & { id: string; change: Partial<Omit<MemoryEntry, 'id' | 'score'>> } & Call,
  ): Promise<MemoryEntry | undefined> {
    const entry = await this.#memory.updateMemory(p);
    return entry && withoutMark(entry);
  }

  /** Facts, turns and notes in one ranking; `kind` says which is which, `validTo` and `supersededBy` what is past. */
  async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    const response = await this.#memory.searchMemory(p);
    return { ...response, memories: response.memories.map(withoutMark) };
  }

  /** Without `filter.kinds` notes, and facts that are true now; with them everything of these kinds, past facts too. */
  async listMemories(
    p: UserRef & { limit?: number | undefined; cursor?: string | undefined; filter?: MemoryFilter | undefined } & Call,
  ): Promise<{ memories: MemoryEntry[]; next?: string | undefined }> {
    if (p.filter?.kinds !== undefined || typeof (p.filter ?? {}) !== 'object') {
      const { memories, ...rest } = await this.#memory.listMemories(p);
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

  deleteMemory(p: UserRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & Call): Promise<number> {
    return this.#memory.deleteMemory(p);
  }

  deleteSessionMemory(p: SessionRef & Call): Promise<number> {
    return this.#memory.deleteSessionMemory(p);
  }

  deleteUserMemory(p: UserRef & Call): Promise<number> {
    return this.#memory.deleteUserMemory(p);
  }
}
