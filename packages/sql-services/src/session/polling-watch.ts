import { deepFreeze, sessionKeyOf } from '@thole/core/kit';
import type { Event, Runtime, SessionRef, StoredSession, EventWatcher } from '@thole/core';

/** Reads a session with so many events after that `seq`, the oldest of them. */
export interface ReadOldest {
  (key: SessionRef, afterSeq: number, count: number): Promise<StoredSession | undefined>;
}

/** How many events are read at once. */
const AT_ONCE = 100;

/**
 * Hands events over as they are stored: at once where this store stored them, else when it asks the database next. A session
 * that is deleted and made anew is watched from its first event.
 */
export class PollingWatch implements EventWatcher {
  readonly #read: ReadOldest;
  readonly #runtime: Runtime;
  readonly #pollMs: number;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(read: ReadOldest, runtime: Runtime, pollMs: number) {
    this.#read = read;
    this.#runtime = runtime;
    this.#pollMs = pollMs;
  }

  /** Wakes who watches this session. */
  notify(key: SessionRef): void {
    if (this.#waiting.size === 0) return;
    for (const wake of this.#waiting.get(sessionKeyOf(key)) ?? []) wake();
  }

  async *watch(key: SessionRef, afterSeq: number, signal: AbortSignal): AsyncIterable<Event> {
    let last = afterSeq;
    let incarnation: string | undefined;
    while (!signal.aborted) {
      const change = this.#listen(key);
      try {
        const session = await this.#read(key, last, AT_ONCE);
        if (session && incarnation !== undefined && session.incarnation !== incarnation) {
          [incarnation, last] = [session.incarnation, 0];
          continue;
        }
        incarnation ??= session?.incarnation;
        for (const event of session?.events ?? []) {
          if (signal.aborted) return;
          last = event.seq!;
          yield deepFreeze(event);
        }
        // A full page may be followed by more.
        if ((session?.events.length ?? 0) < AT_ONCE) await change.orTime(signal);
      } finally {
        change.end();
      }
    }
  }

  // Listening begins before reading, so that nothing that is stored in between is waited for.
  #listen(key: SessionRef): { orTime(signal: AbortSignal): Promise<void>; end(): void } {
    const id = sessionKeyOf(key);
    const waiting = this.#waiting.get(id) ?? new Set<() => void>();
    this.#waiting.set(id, waiting);
    let hasChanged = false;
    let resume: (() => void) | undefined;
    const wake = (): void => {
      hasChanged = true;
      resume?.();
    };
    waiting.add(wake);
    const pauseMs = (): number => this.#pollMs * (0.5 + this.#runtime.random());
    const runtime = this.#runtime;
    return {
      async orTime(signal) {
        if (hasChanged || signal.aborted) return;
        const waking = new AbortController();
        resume = () => waking.abort();
        signal.addEventListener('abort', resume, { once: true });
        await runtime.sleep(pauseMs(), waking.signal).catch(() => {});
        signal.removeEventListener('abort', resume);
      },
      end: () => {
        waiting.delete(wake);
        if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
      },
    };
  }
}
