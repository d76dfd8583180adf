import { decodeText } from '@thole/core/kit';
import type { Event, EventWindow, SessionRef, StoredSession } from '@thole/core';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptCall, ScriptReply } from '../client/script-call.ts';
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
    const reply = await this.#read(key, window);
    const isFound = reply[0] === 'OK';
    await outbox?.deliver(key, (isFound ? reply[4] : reply[1]) as ScriptReply[], startedAt);
    if (!isFound) return undefined;
    const [, recordFields, sessionFields, userFields, appFields, firstSeq, elements] = reply;
    const record = readRecord(key, recordFields as string[], (recordFields as unknown[])[12]);
    const app = await readStateFields(
      outbox ? await calls.read({ script: readHash, keys: [keys.app(key.appName).state] }) : appFields!,
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

  /** Returns the reply of the script `load-session`. */
  async #read(key: SessionRef, window: EventWindow): Promise<ScriptReply[]> {
    const { calls, keys, outbox } = this.#context;
    const { afterSeq = 0, afterTimestamp, numRecentEvents } = window;
    const { record, events, state, user } = keys.session(key);
    const app = outbox ? user.outbox : keys.app(key.appName).state;
    const call: ScriptCall = {
      script: loadSession,
      keys: [record, events, state, user.state, app],
      args: [afterSeq, String(afterTimestamp ?? ''), String(numRecentEvents ?? ''), outbox ? '1' : ''],
    };
    const readsAll = afterSeq === 0 && afterTimestamp === undefined && numRecentEvents === undefined;
    const reply = readsAll ? await this.#readWithList(call, record, events) : undefined;
    return reply ?? ((await calls.read(call)) as ScriptReply[]);
  }

  /**
   * Reads all events with LRANGE after the script. The script would cost the server four times as much, because it copies each element
   * into the memory of Lua and back. Events that were added between the commands are left out. Returns undefined if events were deleted
   * between them, or if one of them failed, for example because the connection was cut.
   */
  async #readWithList(call: ScriptCall, recordKey: string, listKey: string): Promise<ScriptReply[] | undefined> {
    const replies = await this.#context.calls.read({
      ...call,
      args: [...call.args!, '1'],
      addCommands: (commands) => commands.lrange(listKey, 0, -1).hmget(recordKey, 'inc', 'cut'),
    });
    const [reply, elements, marks] = replies as [ScriptReply[], string[] | null, ScriptReply[] | null];
    if (reply[0] !== 'OK') return reply;
    if (!elements || !marks) return undefined;
    const [incarnation, cut] = marks;
    const record = reply[1] as ScriptReply[];
    if (record[1] !== incarnation || record[10] !== cut) return undefined;
    const before = Number(cut ?? 0);
    return [...reply.slice(0, 5), before + 1, elements.slice(0, Number(record[4]) - before)];
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
