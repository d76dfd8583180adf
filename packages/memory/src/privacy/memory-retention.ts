import { systemRuntime } from '@thole/core';
import { assertName, invalidInput, rejectUnknownOptions } from '@thole/core/kit';
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
import { assertDuration } from '../assert-duration.ts';
import { errorCodeOf } from '../error-code.ts';
import { fullMemory } from '../full-memory.ts';

/** A service that can let go of what is old in an app's whole memory: every one that keeps memory, over a store that tells of its users. */
export interface PrunableMemory {
  /** Removes what is older than `olderThan` (seconds), and answers how many entries went. */
  pruneMemories(p: {
    appName: string;
    olderThan: number;
    kinds?: readonly MemoryEntry['kind'][] | undefined;
  }): Promise<number>;
}

type ListedMemory = Required<Pick<MemoryService, 'listMemories' | 'deleteMemory'>>;

/** How long the memory of an app is kept. */
export interface MemoryRetentionOptions {
  memory: PrunableMemory | ListedMemory;
  appName: string;
  /** The ids of users, who alone are looked at; all of the app without it, for which the memory must have `pruneMemories`. */
  users?: (() => MaybePromise<Iterable<string>>) | undefined;
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
  ...(['memory', 'appName', 'users', 'maxAgeMs', 'kinds', 'everyMs', 'onError', 'runtime'] as const),
] satisfies readonly (keyof MemoryRetentionOptions)[];

const DAY_MS = 86_400_000;
const ALL: readonly MemoryEntry['kind'][] = ['turn', 'fact', 'note'];
const PAGE = 500;

/**
 * Lets go of what is too old in the memory of one app, of all its users, over and over. What went does not come back by the next
 * ingestion. A plugin, so that the runner's close stops it; its timer does not hold the process. Several processes may do it at once.
 */
export class MemoryRetention implements Plugin {
  readonly name = 'memory_retention';
  readonly #options: MemoryRetentionOptions;
  readonly #runtime: Runtime;
  readonly #everyMs: number;
  #cancel: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: MemoryRetentionOptions) {
    rejectUnknownOptions(options, OPTIONS, 'MemoryRetention');
    const { memory, appName, users, maxAgeMs, everyMs = DAY_MS, runtime = systemRuntime() } = options;
    if (users !== undefined && typeof users !== 'function') throw invalidInput('users', 'a function', users);
    if (users) fullMemory(memory, 'MemoryRetention', ['listMemories', 'deleteMemory']);
    else if (!isPrunable(memory))
      throw invalidInput('memory', 'a memory service with pruneMemories (others need users)', memory);
    assertName('appName', appName);
    if (!Number.isFinite(maxAgeMs) || maxAgeMs <= 0)
      throw invalidInput('maxAgeMs', 'a number of milliseconds above 0', maxAgeMs);
    assertDuration('everyMs', everyMs);
    this.#options = options;
    this.#runtime = runtime;
    this.#everyMs = everyMs;
  }

  /** Lets go now, and answers how many entries went. Throws what went wrong. */
  async prune(): Promise<number> {
    const { memory, appName, users, maxAgeMs, kinds } = this.#options;
    const olderThan = this.#runtime.now() - maxAgeMs / 1000;
    if (!users) return (memory as PrunableMemory).pruneMemories({ appName, olderThan, kinds });
    let count = 0;
    for (const userId of await users())
      count += await pruneUser(memory as ListedMemory, { appName, userId }, { to: olderThan, kinds: kinds ?? ALL });
    return count;
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
    logger.warn('Old memory could not be removed.', { appName: this.#options.appName, code: errorCodeOf(error) });
    try {
      this.#options.onError?.(error);
    } catch (thrown) {
      logger.error('onError of MemoryRetention failed.', { code: errorCodeOf(thrown) });
    }
  }
}

function isPrunable(memory: MemoryRetentionOptions['memory'] | undefined): memory is PrunableMemory {
  return typeof (memory as Partial<PrunableMemory> | undefined)?.pruneMemories === 'function';
}

async function pruneUser(memory: ListedMemory, user: UserRef, filter: MemoryFilter): Promise<number> {
  for (let count = 0; ;) {
    const { memories } = await memory.listMemories({ ...user, filter, limit: PAGE });
    const ids = memories.map(({ id }) => id);
    // What an old fact rests on may be young.
    const gone = ids.length > 0 ? await memory.deleteMemory({ ...user, ids, keepEvidence: true }) : 0;
    if (gone === 0) return count;
    count += gone;
  }
}
