import { checkName, invalidInput, refuseUnknown, systemRuntime } from '@thole/core';
import type { Cancel, MemoryEntry, Plugin, Runtime } from '@thole/core';
import { checkDuration } from '../keeping/check-duration.ts';
import { codeOf } from '../keeping/code-of.ts';

/** A service that can let go of what is old in an app's whole memory: `DatabaseMemoryService`, `RedisMemoryService`. */
export interface PrunableMemory {
  /** Removes what is older than `olderThan` (seconds), and answers how many entries went. */
  pruneMemories(p: {
    appName: string;
    olderThan: number;
    kinds?: readonly MemoryEntry['kind'][] | undefined;
  }): Promise<number>;
}

/** How long the memory of an app is kept. */
export interface MemoryRetentionOptions {
  memory: PrunableMemory;
  appName: string;
  /** What is older goes, in milliseconds. */
  maxAgeMs: number;
  /** Entries of these kinds alone; facts that rested on nothing but what goes, go along. */
  kinds?: readonly MemoryEntry['kind'][] | undefined;
  /** How long after one look the next is taken, in milliseconds (a day). */
  everyMs?: number | undefined;
  /** Told of every failure of what `start` began; the next look comes all the same. */
  onError?: ((error: unknown) => void) | undefined;
  runtime?: Runtime | undefined;
}

const OPTIONS = [
  ...(['memory', 'appName', 'maxAgeMs', 'kinds', 'everyMs', 'onError', 'runtime'] as const),
] satisfies readonly (keyof MemoryRetentionOptions)[];

const DAY_MS = 86_400_000;

/**
 * Lets go of what is too old in the memory of one app, of all its users, over and over. What went does not come back by the next
 * ingestion. A plugin, so that the runner's close stops it; its timer does not hold the process. Several processes may do it at once.
 */
export class MemoryRetention implements Plugin {
  readonly name = 'memory_retention';
  readonly #options: MemoryRetentionOptions;
  readonly #runtime: Runtime;
  readonly #everyMs: number;
  #cancel: Cancel | undefined;
  #isClosed = false;

  constructor(options: MemoryRetentionOptions) {
    refuseUnknown(options, OPTIONS, 'MemoryRetention');
    const { memory, appName, maxAgeMs, everyMs = DAY_MS, runtime = systemRuntime() } = options;
    if (typeof memory?.pruneMemories !== 'function')
      throw invalidInput('memory', 'a memory service with pruneMemories', memory);
    checkName('appName', appName);
    if (!Number.isFinite(maxAgeMs) || maxAgeMs <= 0)
      throw invalidInput('maxAgeMs', 'a number of milliseconds above 0', maxAgeMs);
    checkDuration('everyMs', everyMs);
    this.#options = options;
    this.#runtime = runtime;
    this.#everyMs = everyMs;
  }

  /** Lets go now, and answers how many entries went. Throws what went wrong. */
  prune(): Promise<number> {
    const { memory, appName, maxAgeMs, kinds } = this.#options;
    return memory.pruneMemories({ appName, olderThan: this.#runtime.now() - maxAgeMs / 1000, kinds });
  }

  /** Lets go now, in the background, and from then on again and again until it is closed. For the start of a process. */
  start(): void {
    if (this.#isClosed) return;
    this.#cancel?.();
    this.#cancel = this.#runtime.timer(this.#everyMs, () => this.start());
    // A service may throw before it answers a promise.
    void Promise.resolve()
      .then(() => this.prune())
      .catch((error: unknown) => this.#failed(error));
  }

  /** Looks no more. What is under way is not waited for: the next start does what is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return;
    const { logger } = this.#runtime;
    logger.warn('Old memory could not be removed.', { appName: this.#options.appName, code: codeOf(error) });
    try {
      this.#options.onError?.(error);
    } catch (thrown) {
      logger.error('onError of MemoryRetention failed.', { code: codeOf(thrown) });
    }
  }
}
