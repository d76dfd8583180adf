import { TholeError } from '@thole/core';
import type { CancelTimer, Runtime } from '@thole/core';

/** Maximum number of appends in one transaction. */
const MAX_BATCH = 64;

/** Stores appends: one, or several in one transaction. */
export interface AppendMethods<Append, Outcome> {
  appendOne(append: Append, deadline: number): Promise<Outcome>;
  /** Stores all or none of them, in order. Throws `STORE_OUTCOME_UNKNOWN` if they may be stored. */
  appendBatch(appends: readonly Append[], deadline: number): Promise<readonly Outcome[]>;
}

/**
 * A queue of this process's appends for each session. The database would queue them too, with a lock, and each would occupy
 * a connection. Appends that wait are stored together, so that many writers of a session need one lock and one commit. A
 * batch that fails is stored one by one: for example, one of its event ids may be stored already.
 */
export class AppendQueue<Append, Outcome> {
  readonly #waiting = new Map<string, WaitingAppend<Append, Outcome>[]>();
  readonly #methods: AppendMethods<Append, Outcome>;
  readonly #runtime: Runtime;

  constructor(runtime: Runtime, methods: AppendMethods<Append, Outcome>) {
    this.#runtime = runtime;
    this.#methods = methods;
  }

  /** Appends after the earlier appends of this session. Throws `STORE_UNAVAILABLE` if they do not end before the deadline. */
  append(sessionId: string, append: Append, deadline: number): Promise<Outcome> {
    const queue = this.#waiting.get(sessionId);
    if (!queue) {
      const newQueue: WaitingAppend<Append, Outcome>[] = [];
      this.#waiting.set(sessionId, newQueue);
      const appending = this.#methods.appendOne(append, deadline);
      appending.then(noop, noop).then(() => this.#storeWaiting(sessionId, newQueue), noop);
      return appending;
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        queue.splice(queue.indexOf(waiting), 1);
        reject(queueTimeout());
      };
      const cancel = this.#runtime.timer(Math.max(0, deadline - this.#runtime.monotonic()), giveUp);
      const waiting: WaitingAppend<Append, Outcome> = { append, deadline, resolve, reject, cancel };
      queue.push(waiting);
    });
  }

  async #storeWaiting(sessionId: string, queue: WaitingAppend<Append, Outcome>[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH);
      for (const each of batch) each.cancel();
      if (batch.length === 1 || !(await this.#storeBatch(batch))) await this.#storeEach(batch);
    }
    this.#waiting.delete(sessionId);
  }

  /** Returns true if all appends of the batch are settled, false if none of them is stored. */
  async #storeBatch(batch: readonly WaitingAppend<Append, Outcome>[]): Promise<boolean> {
    try {
      const deadline = Math.min(...batch.map((each) => each.deadline));
      const appends = batch.map((each) => each.append);
      const outcomes = await this.#methods.appendBatch(appends, deadline);
      for (const [i, each] of batch.entries()) each.resolve(outcomes[i]!);
      return true;
    } catch (error) {
      if (!TholeError.is(error, 'STORE_OUTCOME_UNKNOWN')) return false;
      for (const each of batch) each.reject(error);
      return true;
    }
  }

  async #storeEach(batch: readonly WaitingAppend<Append, Outcome>[]): Promise<void> {
    for (const { append, deadline, resolve, reject } of batch) {
      if (this.#runtime.monotonic() >= deadline) reject(queueTimeout());
      else await this.#methods.appendOne(append, deadline).then(resolve, reject);
    }
  }
}

interface WaitingAppend<Append, Outcome> {
  readonly append: Append;
  readonly deadline: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  readonly cancel: CancelTimer;
}

function queueTimeout(): TholeError {
  return new TholeError(
    'STORE_UNAVAILABLE',
    'Earlier appends to the same session did not end within the time limit. Nothing was stored.',
  );
}

function noop(): void {}
