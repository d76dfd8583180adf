import { TholeError } from '@thole/core';
import { encodeText } from '@thole/core/kit';
import type { Event, StoredSession } from '@thole/core';
import { textOfEvent, toElement } from './event-element.ts';
import type { ScriptReply } from '../client/pending-call.ts';
import { toAppMember } from '../client/redis-keys.ts';
import { insertSession } from '../scripts/insert-session.lua.ts';
import { toStateFields } from './state-fields.ts';
import { appKeysToWrite } from './store-context.ts';
import type { StoreContext } from './store-context.ts';

/** Makes sessions, with the events that they begin with, if any. */
export class SessionInserter {
  readonly #parts: StoreContext;
  readonly #ttlMs: number | undefined;

  constructor(parts: StoreContext, ttlMs: number | undefined) {
    this.#parts = parts;
    this.#ttlMs = ttlMs;
  }

  async insert(session: StoredSession): Promise<void> {
    const { calls, keys, runtime, codec, outbox, wakes } = this.#parts;
    const began = runtime.monotonic();
    const { key, events } = session;
    const [initial, own, user, app] = [
      await this.#encode(JSON.stringify(session.initialState)),
      await toStateFields(session.state, codec),
      await toStateFields(session.userState, codec),
      await toStateFields(session.appState, codec),
    ];
    const elements: string[] = [];
    for (const event of events) {
      elements.push(JSON.stringify(event.id), toElement(event, await this.#encode(textOfEvent(event))));
    }
    const { record, events: list, state, user: ofUser } = keys.session(key);
    const answer = (await calls.write({
      script: insertSession,
      keys: [record, list, state, ofUser.state, ofUser.list, ofUser.expiries, ...appKeysToWrite(this.#parts, key)],
      args: [
        ...[session.incarnation, String(session.createTime), String(session.lastUpdateTime), initial],
        ...[this.#ttlMs ?? '', key.sessionId, toAppMember(key), furthestBack(events)],
        ...[own.length / 2, user.length / 2, app.length / 2, events.length],
        ...own,
        ...user,
        ...app,
        ...elements,
      ],
    })) as ScriptReply[];
    await outbox?.deliver(key, answer.slice(1), began);
    if (answer[0] === 'EXISTS') {
      throw new TholeError(
        'SESSION_ALREADY_EXISTS',
        `Session ${key.sessionId} of ${key.userId} in ${key.appName} exists already.`,
      );
    }
    wakes.wake(record);
  }

  async #encode(text: string): Promise<string> {
    const { codec } = this.#parts;
    return codec ? encodeText(codec, text) : text;
  }
}

/** How far a time stands behind the latest before it. */
function furthestBack(events: readonly Event[]): string {
  let [latest, back] = [-Infinity, 0];
  for (const { timestamp } of events) {
    latest = Math.max(latest, timestamp);
    back = Math.max(back, latest - timestamp);
  }
  return String(back);
}
