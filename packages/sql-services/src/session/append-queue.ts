import { TholeError } from '@thole/core';
import type { CancelTimer, Runtime } from '@thole/core';

/** How many appends are stored together at most. */
const MAX_BATCH = 64;

/** How appends are done: one by itself, or several in one transaction. */
export interface AppendMethods<Append, Appended> {
  appendOne(append: Append, deadline: number): Promise<Appended>;
  /** All or none of them, in order. What it rejects with is `STORE_OUTCOME_UNKNOWN` where they may be stored. */
  appendBatch(appends: readonly Append[], deadline: number): Promise<readonly Appended[]>;
}

/**
 * The appends of this process, one after another for each session: the database would line them up anyway, by a lock for which
 * each holds a connection. Those that wait meanwhile are stored together, so that many writers of one session cost it one lock and one
 * commit. What cannot be stored together, such as an id that is stored already, is stored one by one.
 */
export class AppendQueue<Append, Appended> {
  readonly #waiting = new Map<string, Waiting<Append, Appended>[]>();
  readonly #kinds: AppendMethods<Append, Appended>;
  readonly #runtime: Runtime;

  constructor(runtime: Runtime, kinds: AppendMethods<Append, Appended>) {
    this.#runtime = runtime;
    this.#kinds = kinds;
  }

  /** Appends when those before it are done. `STORE_UNAVAILABLE` where the deadline comes before that: nothing was sent. */
  append(id: string, append: Append, deadline: number): Promise<Appended> {
    const line = this.#waiting.get(id);
    if (!line) {
      const own: Waiting<Append, Appended>[] = [];
      this.#waiting.set(id, own);
      const appending = this.#kinds.appendOne(append, deadline);
      appending.then(noop, noop).then(() => this.#serve(id, own), noop);
      return appending;
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        line.splice(line.indexOf(waiting), 1);
        reject(tooLate());
      };
      const cancel = this.#runtime.timer(Math.max(0, deadline - this.#runtime.monotonic()), giveUp);
      const waiting: Waiting<Append, Appended> = { append, deadline, resolve, reject, cancel };
      line.push(waiting);
    });
  }

  async #serve(id: string, line: Waiting<Append, Appended>[]): Promise<void> {
    while (line.length > 0) {
      const batch = line.splice(0, MAX_BATCH);
      for (const each of batch) each.cancel();
      if (batch.length === 1 || !(await this.#storedTogether(batch))) await this.#storeEach(batch);
    }
    this.#waiting.delete(id);
  }

  /** Whether all of them are settled; otherwise nothing of them is stored. */
  async #storedTogether(batch: readonly Waiting<Append, Appended>[]): Promise<boolean> {
    try {
      const deadline = Math.min(...batch.map((each) => each.deadline));
      const appends = batch.map((each) => each.append);
      const appended = await this.#kinds.appendBatch(appends, deadline);
      for (const [i, each] of batch.entries()) each.resolve(appended[i]!);
      return true;
    } catch (error) {
      if (!TholeError.is(error, 'STORE_OUTCOME_UNKNOWN')) return false;
      for (const each of batch) each.reject(error);
      return true;
    }
  }

  async #storeEach(batch: readonly Waiting<Append, Appended>[]): Promise<void> {
    for (const { append, deadline, resolve, reject } of batch) {
      if (this.#runtime.monotonic() >= deadline) reject(tooLate());
      else await this.#kinds.appendOne(append, deadline).then(resolve, reject);
    }
  }
}

interface Waiting<Append, Appended> {
  readonly append: Append;
  readonly deadline: number;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
  readonly cancel: CancelTimer;
}

function tooLate(): TholeError {
  return new TholeError(
    'STORE_UNAVAILABLE',
    'Others that append to the same session did not end within the time limit.',
  );
}

function noop(): void {}
