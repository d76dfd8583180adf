import { decodeText } from '@thole/core/kit';
import type { Event, EventWindow, SessionRef, StoredSession } from '@thole/core';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptReply } from '../client/script-call.ts';
import { readElements } from './event-element.ts';
import { readRecord } from './read-record.ts';
import { parseState, readStateFields } from './state-fields.ts';
import type { StoreContext } from './store-context.ts';

const loadSession = redisScript('session/load-session');
const readHash = redisScript('client/read-hash');

/** Reads sessions and windows of their events. On Cluster it reads the app's state after the user's outbox was applied. */
export class SessionLoader {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const { calls, outbox } = this.#context;
    return outbox ? calls.withDeadline(() => this.#load(key, window)) : this.#load(key, window);
  }

  async #load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const { calls, keys, runtime, codec, outbox } = this.#context;
    const startedAt = runtime.monotonic();
    const { afterSeq = 0, afterTimestamp = '', numRecentEvents = '' } = window;
    const { record: recordKey, events, state, user: userKeys } = keys.session(key);
    const appState = keys.app(key.appName).state;
    const reply = (await calls.read({
      script: loadSession,
      keys: [recordKey, events, state, userKeys.state, outbox ? userKeys.outbox : appState],
      args: [afterSeq, String(afterTimestamp), String(numRecentEvents), outbox ? '1' : ''],
    })) as ScriptReply[];
    const isFound = reply[0] === 'OK';
    await outbox?.deliver(key, (isFound ? reply[4] : reply[1]) as ScriptReply[], startedAt);
    if (!isFound) return undefined;
    const [, recordFields, sessionFields, userFields, appFields, firstSeq, elements] = reply;
    const record = readRecord(key, recordFields as string[], (recordFields as unknown[])[12]);
    const app = await readStateFields(
      outbox ? await calls.read({ script: readHash, keys: [appState] }) : appFields!,
      codec,
    );
    const user = await readStateFields(userFields!, codec);
    return {
      ...record,
      initialState: parseState(await decodeText(codec, (recordFields as string[])[8]!)),
      state: (await readStateFields(sessionFields!, codec)).state,
      userState: user.state,
      userVersion: user.version,
      appState: app.state,
      appVersion: app.version,
      events: await this.#readEvents(Number(firstSeq), elements as (string | number)[]),
    };
  }

  #readEvents(firstSeq: number, elements: readonly (string | number)[]): Promise<Event[]> {
    const { codec } = this.#context;
    if (firstSeq > 0) return readElements(elements as string[], firstSeq, codec);
    // A window in which times go back: pairs of element and seq, newest first.
    const texts = elements.filter((_, i) => i % 2 === 0) as string[];
    const seqs = elements.filter((_, i) => i % 2 === 1).map(Number);
    return readElements(texts.reverse(), seqs.reverse(), codec);
  }
}
