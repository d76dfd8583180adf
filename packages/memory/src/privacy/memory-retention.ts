import { systemRuntime } from '@thole/core';
import {
  assertDuration,
  assertName,
  errorCodeOf,
  invalidInput,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type {
  CancelTimer,
  MaybePromise,
  MemoryEntry,
  MemoryFilter,
  MemoryService,
  Plugin,
  Runtime,
  UserRef,
} from '@thole/core';
import { callOnError } from '../call-on-error.ts';
import { requireMemory } from '../require-memory.ts';

/** A memory service that can delete old entries of all users of an app. Its store can list its users. */
export interface PrunableMemory {
  /** Deletes entries older than `olderThan` (seconds) and returns the number of deleted entries. */
  pruneMemories(p: {
    appName: string;
    olderThan: number;
    kinds?: readonly MemoryEntry['kind'][] | undefined;
  }): Promise<number>;
}

type ListableMemory = Required<Pick<MemoryService, 'listMemories' | 'deleteMemory'>>;

/** Options of `MemoryRetention`. */
export interface MemoryRetentionOptions {
  memory: PrunableMemory | ListableMemory;
  appName: string;
  /** Returns the ids of the users whose memory is checked. Default: all users of the app; then `memory` must have `pruneMemories`. */
  users?: (() => MaybePromise<Iterable<string>>) | undefined;
  /** Age in milliseconds above which entries are deleted. */
  maxAgeMs: number;
  /** Kinds of entries to delete. Facts without remaining evidence are always deleted. Default: all. */
  kinds?: readonly MemoryEntry['kind'][] | undefined;
  /** Time between two runs in milliseconds. Default: one day. */
  everyMs?: number | undefined;
  /** Called for every failed run that `start` has started. Later runs still take place. */
  onError?: ((error: unknown) => void) | undefined;
  runtime?: Runtime | undefined;
}

const retentionOptionNames = optionNames<MemoryRetentionOptions>({
  memory: true,
  appName: true,
  users: true,
  maxAgeMs: true,
  kinds: true,
  everyMs: true,
  onError: true,
  runtime: true,
});

const DAY_MS = 86_400_000;
const ALL_KINDS: readonly MemoryEntry['kind'][] = ['turn', 'fact', 'note'];
const ENTRIES_PER_PAGE = 500;

/**
 * Deletes old entries of all users of an app, at regular intervals. Later ingestion does not restore them. As a plugin it stops when
 * the runner closes. Its timer does not keep the process alive. Several processes may run it at the same time.
 */
export class MemoryRetention implements Plugin {
  readonly name = 'memory_retention';
  readonly #options: MemoryRetentionOptions;
  readonly #runtime: Runtime;
  readonly #everyMs: number;
  #cancel: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: MemoryRetentionOptions) {
    rejectUnknownOptions(options, retentionOptionNames, 'MemoryRetention');
    const { memory, appName, users, maxAgeMs, everyMs = DAY_MS, runtime = systemRuntime() } = options;
    if (users !== undefined && typeof users !== 'function') throw invalidInput('users', 'a function', users);
    if (users) requireMemory(memory, 'MemoryRetention', ['listMemories', 'deleteMemory']);
    else if (!isPrunable(memory))
      throw invalidInput(
        'memory',
        'a memory service with pruneMemories, or, with the option users, any memory service',
        memory,
      );
    assertName('appName', appName);
    if (!Number.isFinite(maxAgeMs) || maxAgeMs <= 0)
      throw invalidInput('maxAgeMs', 'a finite number of milliseconds above 0', maxAgeMs);
    assertDuration('everyMs', everyMs);
    this.#options = options;
    this.#runtime = runtime;
    this.#everyMs = everyMs;
  }

  /** Deletes old entries now and returns the number of deleted entries. Throws errors of the memory service. */
  async prune(): Promise<number> {
    const { memory, appName, users, maxAgeMs, kinds } = this.#options;
    const olderThan = this.#runtime.now() - maxAgeMs / 1000;
    if (!users) return (memory as PrunableMemory).pruneMemories({ appName, olderThan, kinds });
    let count = 0;
    for (const userId of await users())
      count += await pruneUser(
        memory as ListableMemory,
        { appName, userId },
        { to: olderThan, kinds: kinds ?? ALL_KINDS },
      );
    return count;
  }

  /** Deletes old entries now in the background, and then at regular intervals until `close`. Call it when the process starts. */
  start(): void {
    if (this.#isClosed) return;
    this.#cancel?.();
    this.#cancel = this.#runtime.timer(this.#everyMs, () => this.start());
    // A service may throw before it returns a promise.
    void Promise.resolve()
      .then(() => this.prune())
      .catch((error: unknown) => this.#handleFailure(error));
  }

  /** Cancels the timer. Does not wait for a running deletion; the next `start` deletes the remaining entries. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #handleFailure(error: unknown): void {
    if (this.#isClosed) return;
    const { logger } = this.#runtime;
    logger.warn('Old memories could not be deleted.', { appName: this.#options.appName, code: errorCodeOf(error) });
    callOnError('MemoryRetention', () => this.#options.onError?.(error), logger);
  }
}

function isPrunable(memory: MemoryRetentionOptions['memory'] | undefined): memory is PrunableMemory {
  return typeof (memory as Partial<PrunableMemory> | undefined)?.pruneMemories === 'function';
}

async function pruneUser(memory: ListableMemory, user: UserRef, filter: MemoryFilter): Promise<number> {
  for (let count = 0; ;) {
    const { memories } = await memory.listMemories({ ...user, filter, limit: ENTRIES_PER_PAGE });
    const ids = memories.map(({ id }) => id);
    // Keeps evidence, because the evidence of an old fact may be new.
    const deleted = ids.length > 0 ? await memory.deleteMemory({ ...user, ids, keepEvidence: true }) : 0;
    if (deleted === 0) return count;
    count += deleted;
  }
}
