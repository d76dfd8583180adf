import { systemRuntime, TholeError } from '@thole/core';
import { assertCount, rejectUnknownOptions, sessionKeyOf } from '@thole/core/kit';
import type { Event, InvocationContext, MemoryService, Plugin, Runtime, SessionRef, SessionService } from '@thole/core';
import { errorCodeOf } from '../error-code.ts';
import { assertDuration } from '../assert-duration.ts';
import { fullMemory } from '../full-memory.ts';
import { LatestSeqs } from './latest-seqs.ts';

/** What an `AutoIngestPlugin` works with. */
export interface AutoIngestPluginOptions {
  /** The runner's: what is stored there is what is remembered. */
  sessions: SessionService;
  memory: MemoryService;
  /** How many sessions may wait (1,000). What finds no room is remembered after the session's next run. */
  maxWaiting?: number | undefined;
  /** How often a run's events are tried, with 1, 2, 4 … times `retryMs` between (4). */
  maxAttempts?: number | undefined;
  /** The first wait after a failure, in milliseconds (1,000). */
  retryMs?: number | undefined;
  /** Told of what is given up until the session's next run. */
  onError?: ((failure: { session: SessionRef; error: unknown }) => void) | undefined;
  name?: string | undefined;
  runtime?: Runtime | undefined;
}

const OPTIONS = [
  ...(['sessions', 'memory', 'maxWaiting', 'maxAttempts', 'retryMs', 'onError', 'name', 'runtime'] as const),
] satisfies readonly (keyof AutoIngestPluginOptions)[];

const MEMORY_TIMEOUT_MS = 30_000;
/** So long runs that end are gathered before the first of them is read. */
const BATCH_WINDOW_MS = 20;
/** Contexts hold their sessions: no more of them are held. */
const MAX_BUFFERED_RUNS = 16;

/**
 * Adds the new events of each run to memory when the run has ended, in the background: one session after the other, each in
 * the order of its events. It reads what the sessions hold, so runs that are not kept (ephemeral ones, those of agents used as
 * tools) leave nothing. The runner's close waits for what is queued.
 */
export class AutoIngestPlugin implements Plugin {
  readonly name: string;
  readonly #options: AutoIngestPluginOptions;
  readonly #memory: MemoryService & Required<Pick<MemoryService, 'addEventsToMemory'>>;
  readonly #runtime: Runtime;
  /** Up to where memory has the events of a session, as far as this process knows. */
  readonly #done = new LatestSeqs();
  readonly #waiting = new Map<string, SessionRef>();
  readonly #closing = new AbortController();
  /** Goes to every call of memory until one is late. */
  #late = new AbortController();
  /** Runs of which nothing is queued yet. */
  readonly #ended: InvocationContext[] = [];
  #isToWake = false;
  #working: Promise<void> | undefined;

  constructor(options: AutoIngestPluginOptions) {
    rejectUnknownOptions(options, OPTIONS, 'AutoIngestPlugin');
    const { sessions, memory, name = 'auto_ingest', retryMs, runtime = systemRuntime() } = options;
    if (typeof sessions?.getSession !== 'function')
      throw new TholeError('INVALID_INPUT', 'AutoIngestPlugin needs sessions, a SessionService.');
    this.#memory = fullMemory(memory, 'AutoIngestPlugin', ['addEventsToMemory']);
    assertCount('maxWaiting', options.maxWaiting ?? 1_000, 1);
    assertCount('maxAttempts', options.maxAttempts ?? 4, 1);
    if (retryMs !== undefined) assertDuration('retryMs', retryMs);
    this.name = name;
    this.#options = options;
    this.#runtime = runtime;
  }

  /** Notes that a run has ended; part of being a plugin. What that means is found out when nobody waits for the run any more. */
  afterRunCallback({ invocationContext }: { invocationContext: InvocationContext }): void {
    if (this.#working) return this.#queue(invocationContext);
    if (this.#ended.push(invocationContext) >= MAX_BUFFERED_RUNS) this.#queueEnded();
    if (!this.#isToWake) this.#wakeSoon();
  }

  /** Resolves when everything that was queued is in memory, or was given up. */
  async flush(): Promise<void> {
    for (this.#begin(); this.#working; this.#begin()) await this.#working;
  }

  /** Waits for what is queued, and between attempts no longer; part of being a plugin. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.flush();
  }

  #queueEnded(): void {
    for (const context of this.#ended) this.#queue(context);
    this.#ended.length = 0;
  }

  #queue(context: InvocationContext): void {
    const { appName, userId, sessionId } = context;
    const session = { appName, userId, sessionId };
    const key = sessionKeyOf(session);
    if (!this.#done.of(key)) this.#done.set(key, { seq: seqBefore(context), incarnation: undefined });
    // A session that waits already is read to its end when its turn comes.
    if (this.#waiting.has(key)) return;
    if (this.#waiting.size < (this.#options.maxWaiting ?? 1_000)) this.#waiting.set(key, session);
    else this.#runtime.logger.warn('The queue of AutoIngestPlugin is full.', { appName, sessionId });
  }

  // Whoever waits for the run has it first; and runs that end soon after each other are read together.
  #wakeSoon(): void {
    this.#isToWake = true;
    const wake = (): void => {
      this.#isToWake = false;
      this.#begin();
    };
    this.#runtime.sleep(BATCH_WINDOW_MS, this.#closing.signal).then(wake, wake);
  }

  #begin(): void {
    if (!this.#working && this.#ended.length + this.#waiting.size > 0) this.#working = this.#work();
  }

  async #work(): Promise<void> {
    // So that it never ends before it is known to have begun.
    await Promise.resolve();
    this.#queueEnded();
    for (let next = first(this.#waiting); next; next = first(this.#waiting)) {
      const [key, session] = next;
      this.#waiting.delete(key);
      await this.#tryToIngest(key, session);
    }
    this.#working = undefined;
  }

  async #tryToIngest(key: string, session: SessionRef): Promise<void> {
    const { maxAttempts = 4, retryMs = 1_000, onError } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ingest(key, session);
      } catch (error) {
        if (attempt < maxAttempts) {
          const waitMs = retryMs * 2 ** (attempt - 1) * (0.5 + this.#runtime.random());
          await this.#runtime.sleep(waitMs, this.#closing.signal).catch(atOnce);
          continue;
        }
        const { appName, sessionId } = session;
        this.#runtime.logger.warn('Events could not be added to memory.', {
          appName,
          sessionId,
          code: errorCodeOf(error),
        });
        try {
          onError?.({ session, error });
        } catch (thrown) {
          this.#runtime.logger.error('onError of AutoIngestPlugin failed.', { code: errorCodeOf(thrown) });
        }
        return;
      }
    }
  }

  async #ingest(key: string, session: SessionRef): Promise<void> {
    const { sessions } = this.#options;
    const reached = this.#done.of(key);
    let stored = await sessions.getSession({ ...session, afterSeq: reached?.seq ?? 0 });
    // One that was deleted and made anew counts from the beginning.
    if (stored && reached?.incarnation !== undefined && stored.incarnation !== reached.incarnation)
      stored = await sessions.getSession(session);
    if (!stored) return;
    if (stored.events.length > 0) await this.#add(session, stored.events);
    this.#done.set(key, { seq: stored.lastSeq, incarnation: stored.incarnation });
  }

  // A memory that never answers must not keep the others waiting, nor the runner from closing.
  #add(session: SessionRef, events: readonly Event[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#runtime.timer(MEMORY_TIMEOUT_MS, () => {
        const late = new TholeError('STORE_OUTCOME_UNKNOWN', `Memory did not answer within ${MEMORY_TIMEOUT_MS} ms.`);
        this.#late.abort(late);
        this.#late = new AbortController();
        reject(late);
      });
      const settle = (then: () => void): void => {
        cancel();
        then();
      };
      const add = async (): Promise<void> =>
        this.#memory.addEventsToMemory({ ...session, events, signal: this.#late.signal });
      add().then(
        () => settle(resolve),
        (error: unknown) => settle(() => reject(error as Error)),
      );
    });
  }
}

/** The `seq` of the last event before a run. */
function seqBefore({ history, invocationId }: InvocationContext): number {
  for (const event of history) if (event.invocationId === invocationId) return (event.seq ?? 1) - 1;
  return history.at(history.length - 1)?.seq ?? 0;
}

function first<K, V>(map: ReadonlyMap<K, V>): [K, V] | undefined {
  return map.entries().next().value;
}

function atOnce(): void {}
