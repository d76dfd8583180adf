import { decodeText } from '@thole/core/kit';
import type { Event, EventWindow, SessionRef, StateMap, StoredSession } from '@thole/core';
import { readElements } from './event-element.ts';
import { readRecord } from './read-record.ts';
import type { ScriptReply } from '../client/pending-call.ts';
import { loadSession } from '../scripts/load-session.lua.ts';
import { readHash } from '../scripts/read-hash.lua.ts';
import { readStateFields } from './state-fields.ts';
import type { StoreContext } from './store-context.ts';

/** Reads sessions and windows of their events. On Cluster the app's state is read after it has followed. */
export class SessionLoader {
  readonly #parts: StoreContext;

  constructor(parts: StoreContext) {
    this.#parts = parts;
  }

  load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const { calls, outbox } = this.#parts;
    return outbox ? calls.withDeadline(() => this.#load(key, window)) : this.#load(key, window);
  }

  async #load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    const { calls, keys, runtime, codec, outbox } = this.#parts;
    const began = runtime.monotonic();
    const { afterSeq = 0, afterTimestamp = '', numRecentEvents = '' } = window;
    const own = keys.session(key);
    const apps = keys.app(key.appName).state;
    const answer = (await calls.read({
      script: loadSession,
      keys: [own.record, own.events, own.state, own.user.state, outbox ? own.user.outbox : apps],
      args: [afterSeq, String(afterTimestamp), String(numRecentEvents), outbox ? '1' : ''],
    })) as ScriptReply[];
    const found = answer[0] === 'OK';
    await outbox?.deliver(key, (found ? answer[4] : answer[1]) as ScriptReply[], began);
    if (!found) return undefined;
    const [, fields, state, userState, appState, first, elements] = answer;
    const record = readRecord(key, fields as string[]);
    const ofApp = await readStateFields(
      outbox ? await calls.read({ script: readHash, keys: [apps] }) : appState!,
      codec,
    );
    const ofUser = await readStateFields(userState!, codec);
    return {
      ...record,
      initialState: JSON.parse(await decodeText(codec, (fields as string[])[5]!)) as StateMap,
      state: (await readStateFields(state!, codec)).state,
      userState: ofUser.state,
      userVersion: ofUser.version,
      appState: ofApp.state,
      appVersion: ofApp.version,
      events: await this.#events(Number(first), elements as (string | number)[]),
    };
  }

  #events(first: number, elements: readonly (string | number)[]): Promise<Event[]> {
    const { codec } = this.#parts;
    if (first > 0) return readElements(elements as string[], first, codec);
    // Newest first, each followed by its seq: the order of a window where times went back.
    const texts = elements.filter((_, i) => i % 2 === 0) as string[];
    const seqs = elements.filter((_, i) => i % 2 === 1).map(Number);
    return readElements(texts.reverse(), seqs.reverse(), codec);
  }
}
