import { systemRuntime, TholeError } from '@thole/core';
import {
  assertCount,
  assertDuration,
  errorCodeOf,
  ingestibleEvents,
  optionNames,
  putCached,
  rejectUnknownOptions,
  rewindOf,
  sessionKeyOf,
  withTimeLimit,
} from '@thole/core/kit';
import type { Event, InvocationContext, MemoryService, Plugin, Runtime, SessionRef, SessionService } from '@thole/core';
import { callOnError } from '../call-on-error.ts';
import { assertSessionService } from '../assert-session-service.ts';
import { requireMemory } from '../require-memory.ts';
import { traitsOf } from '../wrapper-traits.ts';

/** Options of `AutoIngestPlugin`. */
export interface AutoIngestPluginOptions {
  /** The runner's session service, from which the events are read. */
  sessions: SessionService;
  memory: MemoryService;
  /** Maximum number of waiting sessions. Events of other sessions are added after their next run. Default: 1,000. */
  maxWaiting?: number | undefined;
  /** Maximum number of attempts per session, with waits of 1, 2, 4 … times `retryMs`. Default: 4. */
  maxAttempts?: number | undefined;
  /** First wait after a failure in milliseconds. Default: 1,000. */
  retryMs?: number | undefined;
  /** Called after the last failed attempt. The events are added after the session's next run. */
  onError?: ((failure: { session: SessionRef; error: unknown }) => void) | undefined;
  name?: string | undefined;
  runtime?: Runtime | undefined;
}

const autoIngestOptionNames = optionNames<AutoIngestPluginOptions>({
  sessions: true,
  memory: true,
  maxWaiting: true,
  maxAttempts: true,
  retryMs: true,
  onError: true,
  name: true,
  runtime: true,
});

/** Time limit in milliseconds of one call of a memory service that does not state its own. */
const MEMORY_TIMEOUT_MS = 30_000;
/** Time in which ended runs are collected before the first one is processed. */
const BATCH_WINDOW_MS = 20;
/** Time after the start of `close` from which a failure ends it: a store that does not answer must not delay the shutdown for minutes. */
const CLOSE_RETRY_MS = 10_000;
/** Maximum number of collected contexts, because each keeps its session in memory. */
const MAX_BUFFERED_RUNS = 16;
/** Maximum number of sessions whose position is kept. Another session is read again completely. This adds no event twice. */
const MAX_POSITIONS = 10_000;

/** The last processed event of a session. */
interface Position {
  seq: number;
  /** The session's incarnation. Undefined before the session was read. */
  incarnation: string | undefined;
}

/**
 * Adds the new events of each run to memory after the run, in the background: one session at a time, in the order of the events. It
 * reads the stored events, so runs that are not stored (ephemeral runs, agents used as tools) add nothing. Closing the runner waits
 * for queued sessions.
 */
export class AutoIngestPlugin implements Plugin {
  readonly name: string;
  readonly #options: AutoIngestPluginOptions;
  readonly #memory: MemoryService & Required<Pick<MemoryService, 'addEventsToMemory'>>;
  readonly #runtime: Runtime;
  /** For each session, the last event that this process has added to memory. */
  readonly #processed = new Map<string, Position>();
  readonly #waiting = new Map<string, SessionRef>();
  readonly #closing = new AbortController();
  /** Ended runs whose sessions are not queued yet. */
  readonly #endedRuns: InvocationContext[] = [];
  #isWakeScheduled = false;
  #worker: Promise<void> | undefined;
  #closeRetriesUntil = Infinity;

  constructor(options: AutoIngestPluginOptions) {
    rejectUnknownOptions(options, autoIngestOptionNames, 'AutoIngestPlugin');
    const { sessions, memory, name = 'auto_ingest', retryMs, runtime = systemRuntime() } = options;
    assertSessionService(sessions);
    this.#memory = requireMemory(memory, 'AutoIngestPlugin', ['addEventsToMemory']);
    for (const option of ['maxWaiting', 'maxAttempts'] as const)
      if (options[option] !== undefined) assertCount(option, options[option], 1);
    if (retryMs !== undefined) assertDuration('retryMs', retryMs);
    this.name = name;
    this.#options = options;
    this.#runtime = runtime;
  }

  /** Records that a run has ended. Called by the runner, which must not wait, so the events are read later. */
  afterRunCallback({ invocationContext }: { invocationContext: InvocationContext }): void {
    if (this.#worker) return this.#queue(invocationContext);
    if (this.#endedRuns.push(invocationContext) >= MAX_BUFFERED_RUNS) this.#queueEnded();
    if (!this.#isWakeScheduled) this.#wakeSoon();
  }

  /** Resolves when all queued sessions are in memory or have failed. */
  async flush(): Promise<void> {
    for (this.#start(); this.#worker; this.#start()) await this.#worker;
  }

  /**
   * Processes the queue without waiting between attempts. After 10 s, a failure ends it for all sessions. Called when the runner
   * closes.
   */
  close(): Promise<void> {
    if (!this.#closing.signal.aborted) this.#closeRetriesUntil = this.#runtime.monotonic() + CLOSE_RETRY_MS;
    this.#closing.abort();
    return this.flush();
  }

  #queueEnded(): void {
    for (const context of this.#endedRuns) this.#queue(context);
    this.#endedRuns.length = 0;
  }

  #queue(context: InvocationContext): void {
    const { appName, userId, sessionId } = context;
    const session = { appName, userId, sessionId };
    const key = sessionKeyOf(session);
    if (!this.#processed.has(key)) this.#setPosition(key, { seq: seqBefore(context), incarnation: undefined });
    // A session that is already waiting will be read completely.
    if (this.#waiting.has(key)) return;
    if (this.#waiting.size < (this.#options.maxWaiting ?? 1_000)) this.#waiting.set(key, session);
    else this.#runtime.logger.warn('The queue of AutoIngestPlugin is full.', { appName, sessionId });
  }

  /** Starts after a short wait, so that the caller of the run continues first and runs that end together are read together. */
  #wakeSoon(): void {
    this.#isWakeScheduled = true;
    const wake = (): void => {
      this.#isWakeScheduled = false;
      this.#start();
    };
    this.#runtime.sleep(BATCH_WINDOW_MS, this.#closing.signal).then(wake, wake);
  }

  #start(): void {
    if (!this.#worker && this.#endedRuns.length + this.#waiting.size > 0) this.#worker = this.#work();
  }

  async #work(): Promise<void> {
    // The worker must not end before `#worker` is set.
    await Promise.resolve();
    this.#queueEnded();
    for (let next = firstEntry(this.#waiting); next; next = firstEntry(this.#waiting)) {
      const [key, session] = next;
      this.#waiting.delete(key);
      await this.#tryToIngest(key, session);
    }
    this.#worker = undefined;
  }

  async #tryToIngest(key: string, session: SessionRef): Promise<void> {
    const { maxAttempts = 4, retryMs = 1_000 } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ingest(key, session);
      } catch (error) {
        const isLate = this.#runtime.monotonic() >= this.#closeRetriesUntil;
        if (attempt < maxAttempts && !isLate) {
          const waitMs = retryMs * 2 ** (attempt - 1) * (0.5 + this.#runtime.random());
          await this.#runtime.sleep(waitMs, this.#closing.signal).catch(ignoreAbort);
          continue;
        }
        this.#reportFailure(session, error);
        if (!isLate) return;
        for (const other of this.#waiting.values()) this.#reportFailure(other, error);
        this.#waiting.clear();
        return;
      }
    }
  }

  #reportFailure(session: SessionRef, error: unknown): void {
    const { appName, sessionId } = session;
    const { logger } = this.#runtime;
    logger.warn('Events could not be added to memory.', { appName, sessionId, code: errorCodeOf(error) });
    callOnError('AutoIngestPlugin', () => this.#options.onError?.({ session, error }), logger);
  }

  async #ingest(key: string, session: SessionRef): Promise<void> {
    const { sessions } = this.#options;
    const position = this.#processed.get(key);
    let stored = await sessions.getSession({ ...session, afterSeq: position?.seq ?? 0 });
    if (!stored) return;
    const isNew = position?.incarnation !== undefined && stored.incarnation !== position.incarnation;
    // A rewind marker may refer to events that were not read.
    const hasRewind = stored.window && stored.events.some((event) => rewindOf(event) !== undefined);
    if (isNew || hasRewind) stored = await sessions.getSession(session);
    if (!stored) return;
    const events = ingestibleEvents(stored);
    if (events.length > 0) await this.#add(session, events);
    this.#setPosition(key, { seq: stored.lastSeq, incarnation: stored.incarnation });
  }

  #setPosition(key: string, position: Position): void {
    putCached(this.#processed, key, position, MAX_POSITIONS);
  }

  /** Adds events with a time limit, so that a memory service that hangs blocks neither other sessions nor closing. */
  #add(session: SessionRef, events: readonly Event[]): Promise<void> {
    const { ingestMs: ms = MEMORY_TIMEOUT_MS } = traitsOf(this.#memory);
    const timeoutError = (): TholeError =>
      new TholeError('STORE_OUTCOME_UNKNOWN', `The memory service did not answer within ${ms} ms.`);
    return withTimeLimit({ runtime: this.#runtime, ms, timeoutError }, async (signal) =>
      this.#memory.addEventsToMemory({ ...session, events, signal }),
    );
  }
}

/** Returns the `seq` of the last event before a run. */
function seqBefore({ history, invocationId }: InvocationContext): number {
  for (const event of history) if (event.invocationId === invocationId) return (event.seq ?? 1) - 1;
  return history.at(history.length - 1)?.seq ?? 0;
}

function firstEntry<K, V>(map: ReadonlyMap<K, V>): [K, V] | undefined {
  return map.entries().next().value;
}

function ignoreAbort(): void {}
