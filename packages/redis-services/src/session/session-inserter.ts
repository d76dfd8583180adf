import { encodeText, hasMarks, sessionExists, toEventText } from '@thole/core/kit';
import type { Event, StoredSession } from '@thole/core';
import { toAppMember } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptReply } from '../client/script-call.ts';
import { toElement } from './event-element.ts';
import { toMarkFields } from './session-marks.ts';
import { toStateFields } from './state-fields.ts';
import { appKeysToWrite } from './store-context.ts';
import type { StoreContext } from './store-context.ts';

const insertSession = redisScript('session/insert-session');

/** Creates sessions, also with events. */
export class SessionInserter {
  readonly #context: StoreContext;
  readonly #ttlMs: number | undefined;

  constructor(context: StoreContext, ttlMs: number | undefined) {
    this.#context = context;
    this.#ttlMs = ttlMs;
  }

  async insert(session: StoredSession): Promise<void> {
    const { calls, keys, runtime, codec, outbox } = this.#context;
    const startedAt = runtime.monotonic();
    const { key, events } = session;
    const initialState = await this.#encode(JSON.stringify(session.initialState));
    const sessionFields = await toStateFields(session.state, codec);
    const userFields = await toStateFields(session.userState, codec);
    const appFields = await toStateFields(session.appState, codec);
    const markFields = hasMarks(session.marks) ? toMarkFields(session.marks) : [];
    const elements: string[] = [];
    for (const event of events) {
      elements.push(JSON.stringify(event.id), toElement(event, await this.#encode(toEventText(event))));
    }
    const { record, events: list, state, user } = keys.session(key);
    const reply = (await calls.write({
      script: insertSession,
      keys: [record, list, state, user.state, user.list, user.expiries, ...appKeysToWrite(this.#context, key)],
      args: [
        ...[session.incarnation, String(session.createTime), String(session.lastUpdateTime), initialState],
        ...[this.#ttlMs ?? '', key.sessionId, toAppMember(key), largestStepBack(events)],
        ...[
          sessionFields.length / 2,
          userFields.length / 2,
          appFields.length / 2,
          events.length,
          markFields.length / 2,
          session.forkedFrom ? JSON.stringify(session.forkedFrom) : '',
          // Above 0 if events of the session were pruned in the store from which it is copied.
          Math.max(0, session.lastSeq - events.length),
        ],
        ...markFields,
        ...sessionFields,
        ...userFields,
        ...appFields,
        ...elements,
      ],
    })) as ScriptReply[];
    await outbox?.deliver(key, reply.slice(1), startedAt);
    if (reply[0] === 'EXISTS') throw sessionExists(key);
    this.#context.notify(key);
  }

  async #encode(text: string): Promise<string> {
    const { codec } = this.#context;
    return codec ? encodeText(codec, text) : text;
  }
}

/** Returns the largest difference between the time of an event and the latest time before it. */
function largestStepBack(events: readonly Event[]): string {
  let [latest, largest] = [-Infinity, 0];
  for (const { timestamp } of events) {
    latest = Math.max(latest, timestamp);
    largest = Math.max(largest, latest - timestamp);
  }
  return String(largest);
}
