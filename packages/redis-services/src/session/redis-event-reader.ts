import type { EventReader, SessionRef, StoredSession } from '@thole/core';
import { assertVersion } from '../client/assert-version.ts';
import { redisScript } from '../client/redis-script.ts';
import { readElements } from './event-element.ts';
import type { StoreContext } from './store-context.ts';

const readEventsAfter = redisScript('session/read-events-after');

/** Reads the events of watched sessions. */
export class RedisEventReader implements EventReader {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  async readAfter(
    key: SessionRef,
    afterSeq: number,
    limit: number,
  ): Promise<Pick<StoredSession, 'incarnation' | 'events'> | undefined> {
    const { calls, keys, codec } = this.#context;
    const { record, events } = keys.session(key);
    const reply = await calls.read({ script: readEventsAfter, keys: [record, events], args: [afterSeq, limit] });
    const [version, incarnation, firstSeq, elements] = reply as [string?, string?, number?, string[]?];
    if (version === undefined) return undefined;
    assertVersion(version, `Session "${key.sessionId}"`);
    return { incarnation: String(incarnation), events: await readElements(elements!, Number(firstSeq), codec) };
  }
}
