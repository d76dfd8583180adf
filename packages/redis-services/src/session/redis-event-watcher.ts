import { TholeError } from '@thole/core';
import { deepFreeze } from '@thole/core/kit';
import type { Event, SessionRef, EventWatcher } from '@thole/core';
import { readElements } from './event-element.ts';
import { readRecord } from './read-record.ts';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptReply } from '../client/script-call.ts';
import type { StoreContext } from './store-context.ts';

const loadTail = redisScript('session/read-events-after');

/** How many events are read at a time. */
const MOST = 200;

/**
 * Hands events over as they are stored: those of this process at once, those of others when it looks again, every `pollMs`. A
 * server that does not answer is asked again. A session that is deleted and made anew is watched from its first event.
 */
export class RedisWatching implements EventWatcher {
  readonly #p: StoreContext;

  constructor(p: StoreContext) {
    this.#p = p;
  }

  async *watch(key: SessionRef, afterSeq: number, signal: AbortSignal): AsyncIterable<Event> {
    const { runtime, wakes, pollMs } = this.#p;
    const { record } = this.#p.keys.session(key);
    let next = afterSeq;
    let incarnation: string | undefined;
    let looks = 0;
    while (!signal.aborted) {
      const ms = pollMs * (0.75 + runtime.random() / 2);
      // Begins to wait before it looks, so that what comes meanwhile wakes it.
      const over = new AbortController();
      const woken = wakes.wait(record, ms, AbortSignal.any([signal, over.signal]));
      try {
        const tail = await this.#look(key, next, incarnation, looks++ === 0);
        if (tail && tail.incarnation !== incarnation) ({ incarnation, next } = tail);
        for (const event of tail?.events ?? []) {
          if (signal.aborted) break;
          next = event.seq!;
          yield event;
        }
        if (!tail || tail.events.length === 0) await woken;
      } finally {
        // Also where the reader leaves, or the look fails.
        over.abort();
      }
    }
  }

  async #look(
    key: SessionRef,
    after: number,
    known: string | undefined,
    isFirst: boolean,
  ): Promise<{ incarnation: string; next: number; events: Event[] } | undefined> {
    const { calls, keys, runtime, codec } = this.#p;
    const { record, events } = keys.session(key);
    try {
      const call = { script: loadTail, keys: [record, events], args: [after, known ?? '', MOST] };
      const answer = (await calls.read(call)) as ScriptReply[];
      if (answer.length === 0) return undefined;
      const [fields, first, elements] = answer as [string[], number, string[]];
      const { incarnation } = readRecord(key, fields);
      const found = await readElements(elements, Number(first), codec);
      const next = known === undefined || known === incarnation ? after : 0;
      return { incarnation, next, events: found.map(deepFreeze) };
    } catch (error) {
      if (isFirst || !TholeError.is(error, 'STORE_UNAVAILABLE')) throw error;
      runtime.logger.warn('a watched session could not be read; it is tried again', { sessionId: key.sessionId });
      return undefined;
    }
  }
}
