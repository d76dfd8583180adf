import type { Event } from '../event/event.ts';
import { assertDuration } from '../errors/assert-duration.ts';
import { raceAbort } from '../errors/race-abort.ts';
import { optionNames } from '../errors/option-names.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import { TholeError } from '../errors/thole-error.ts';
import { deepFreeze } from '../json/copy-json.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { sessionKeyOf } from './assert-name.ts';
import type { EventWatcher } from './event-watcher.ts';
import type { SessionRef } from './session.ts';
import type { StoredSession } from './session-store.ts';
import { WakeUps } from './wake-ups.ts';

/**
 * The part of a store that `StoredEventWatcher` reads. Others implement this interface, so it only ever gains optional
 * members.
 */
export interface EventReader {
  /**
   * Returns at most `limit` events after `afterSeq`, oldest first, and the session's incarnation. Returns undefined if the
   * session does not exist. The signal is aborted when the events are no longer needed; ignoring it is allowed.
   */
  readAfter(
    key: SessionRef,
    afterSeq: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<Pick<StoredSession, 'incarnation' | 'events'> | undefined>;
  /**
   * Calls `wake` after other processes store events of this session, until the returned function is called. Calls without a
   * new event are allowed. Optional: without it the watcher polls.
   */
  subscribe?(key: SessionRef, wake: () => void): () => void;
}

/** Maximum number of events in one read. */
const PAGE = 100;

/**
 * Yields events as they are stored: at once after `notify`, otherwise at the next poll. A session that was deleted and
 * created again is watched from its first event. If the store becomes unavailable after the first read, it is read again later.
 */
export class StoredEventWatcher implements EventWatcher {
  readonly reader: EventReader;
  readonly #runtime: Runtime;
  readonly #pollMs: number;
  readonly #wakeUps: WakeUps;

  /** `pollMs`: milliseconds between two reads. `Infinity` reads only after `notify` or a wake-up. Default: 500. */
  constructor(reader: EventReader, runtime: Runtime, options: { pollMs?: number | undefined } = {}) {
    rejectUnknownOptions(options, optionNames<typeof options>({ pollMs: true }), 'StoredEventWatcher');
    const { pollMs = 500 } = options;
    assertDuration('pollMs', pollMs);
    this.reader = reader;
    this.#runtime = runtime;
    this.#pollMs = pollMs;
    this.#wakeUps = new WakeUps(runtime);
  }

  /** Wakes the watchers of this session. The store calls it after each insert and append. */
  notify(key: SessionRef): void {
    if (this.#wakeUps.hasListeners) this.#wakeUps.wake(sessionKeyOf(key));
  }

  async *watch(key: SessionRef, afterSeq: number, signal: AbortSignal): AsyncIterable<Event> {
    // Listens before each read, so that an event stored meanwhile is not missed.
    const listener = this.#wakeUps.listen(sessionKeyOf(key));
    const unsubscribe = this.reader.subscribe?.(key, () => listener.wake());
    let lastSeq = afterSeq;
    let incarnation: string | undefined;
    let isFirst = true;
    try {
      while (!signal.aborted) {
        const found = await this.#read(key, lastSeq, { signal, isFirst });
        isFirst = false;
        if (found && incarnation !== undefined && found.incarnation !== incarnation) {
          [incarnation, lastSeq] = [found.incarnation, 0];
          continue;
        }
        incarnation ??= found?.incarnation;
        for (const event of found?.events ?? []) {
          if (signal.aborted) return;
          lastSeq = event.seq!;
          yield deepFreeze(event);
        }
        // More events may follow a full page.
        if (found?.events.length === PAGE) continue;
        await listener.pause(this.#pollMs * (0.75 + this.#runtime.random() / 2), signal);
      }
    } finally {
      unsubscribe?.();
      listener.close();
    }
  }

  async #read(
    key: SessionRef,
    afterSeq: number,
    { signal, isFirst }: { signal: AbortSignal; isFirst: boolean },
  ): ReturnType<EventReader['readAfter']> {
    try {
      return await raceAbort(this.reader.readAfter(key, afterSeq, PAGE, signal), signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (isFirst || !TholeError.is(error, 'STORE_UNAVAILABLE')) throw error;
      const { sessionId } = key;
      this.#runtime.logger.warn('A watched session could not be read. It is read again later.', { sessionId });
      return undefined;
    }
  }
}
