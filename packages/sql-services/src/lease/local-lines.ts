import { sessionKeyOf } from '@thole/core/kit';
import type { Runtime, SessionRef } from '@thole/core';

/** Those of this process that wait for one session. */
interface LocalLine {
  /** Calls to the database about this line, one after the other: who came first asks first. */
  turn: Promise<unknown>;
  readonly wake: Set<() => void>;
  users: number;
}

/** A wait that a release in this process cuts short. */
export interface Listening {
  /** Until it is woken, or so long, or the signal is aborted; never rejects. */
  orTime(ms: number, signal: AbortSignal | undefined): Promise<void>;
  end(): void;
}

/** One who waits for a session. */
export interface Place {
  /** Does the work when those before it in this process are done with theirs. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Listening begins at once, so that a release that comes while the database is asked is not slept through. */
  listen(): Listening;
  leave(): void;
}

/** The lines of this process before the sessions that it waits for: in order, and woken at once by its own releases. */
export class LocalLines {
  readonly #lines = new Map<string, LocalLine>();
  readonly #runtime: Runtime;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  enter(key: SessionRef): Place {
    const id = sessionKeyOf(key);
    const line = this.#lines.get(id) ?? { turn: Promise.resolve(), wake: new Set(), users: 0 };
    this.#lines.set(id, line);
    line.users++;
    return {
      inTurn(work) {
        const turn = line.turn.then(work, work);
        line.turn = turn.catch(() => {});
        return turn;
      },
      listen: () => this.#listen(line),
      leave: () => {
        if (--line.users === 0) this.#lines.delete(id);
      },
    };
  }

  /** Whoever waits for the session looks again. */
  wake(key: SessionRef): void {
    for (const wake of this.#lines.get(sessionKeyOf(key))?.wake ?? []) wake();
  }

  #listen(line: LocalLine): Listening {
    const waking = new AbortController();
    const wake = (): void => waking.abort();
    line.wake.add(wake);
    return {
      orTime: async (ms, signal) => {
        const either = signal ? AbortSignal.any([signal, waking.signal]) : waking.signal;
        await this.#runtime.sleep(ms, either).catch(() => {});
      },
      end: () => void line.wake.delete(wake),
    };
  }
}
