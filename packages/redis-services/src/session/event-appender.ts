import { encodeText, leaseLost, notRunning, sessionNotFound, toEventText } from '@thole/core/kit';
import type { AppendOptions, Event, ScopedDelta, SessionRef } from '@thole/core';
import { assertVersion } from '../client/assert-version.ts';
import { toAppMember } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptArgument, ScriptCall, ScriptReply } from '../client/script-call.ts';
import { readElements, toElement } from './event-element.ts';
import { toMarkFields } from './session-marks.ts';
import { toStateFields } from './state-fields.ts';
import type { StoreContext } from './store-context.ts';

const appendEvent = redisScript('session/append-event');

interface AppendResult {
  event: Event;
  duplicate: boolean;
}

/** Sent for an empty fence: the script reads '' as "no fence". No lease has this token. */
const EMPTY_FENCE = 'none';

/** Appends events. An append without state, conditions, marks and expiry sends few keys: the other keys would double its cost. */
export class EventAppender {
  readonly #context: StoreContext;
  /** True after the first append to a session that expires, because such appends need all keys. */
  #sendsAllKeys: boolean;

  constructor(context: StoreContext) {
    this.#context = context;
    this.#sendsAllKeys = context.calls.waitsForReplicas;
  }

  append(key: SessionRef, event: Event, delta: ScopedDelta, options: AppendOptions = {}): Promise<AppendResult> {
    const { calls, keys, runtime, codec, outbox } = this.#context;
    const { fence, ifHeldBy, marks } = options;
    const hasCondition = fence !== undefined || ifHeldBy !== undefined;
    const needsAllKeys = hasCondition || marks || delta.session || delta.user || delta.app;
    if (needsAllKeys || this.#sendsAllKeys || codec || outbox) {
      return this.#appendWithAllKeys(key, event, delta, options);
    }
    const { record, events, user } = keys.session(key);
    const call: ScriptCall = {
      script: appendEvent,
      keys: [record, events, user.list, keys.app(key.appName).list],
      args: firstArguments(key, event, toEventText(event), options),
    };
    const startedAt = runtime.monotonic();
    const readReply = (reply: ScriptReply): AppendResult | Promise<AppendResult> => {
      if (typeof reply === 'number') {
        event.seq = reply;
        this.#context.notify(key);
        return { event, duplicate: false };
      }
      if (!Array.isArray(reply) || reply[0] !== 'MORE') return this.#readReply(key, event, reply, options, 0);
      if (reply[1] === '1') this.#sendsAllKeys = true;
      return this.#appendWithAllKeys(key, event, delta, options, startedAt);
    };
    return calls.write(call, readReply, startedAt);
  }

  /** `limitStartedAt`: start of the time limit. Default: the time at which the codec has encoded the values. */
  async #appendWithAllKeys(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    options: AppendOptions,
    limitStartedAt?: number,
  ): Promise<AppendResult> {
    const { calls, keys, runtime, codec, outbox } = this.#context;
    const { fence, ifHeldBy, marks } = options;
    const startedAt = runtime.monotonic();
    const { record, events, state, lease, user } = keys.session(key);
    const app = keys.app(key.appName);
    const text = toEventText(event);
    const sessionFields = await toStateFields(delta.session, codec);
    const userFields = await toStateFields(delta.user, codec);
    const appFields = await toStateFields(delta.app, codec);
    const markFields = toMarkFields(marks);
    const call: ScriptCall = {
      script: appendEvent,
      keys: [
        ...[record, events, user.list, outbox ? user.outbox : app.list],
        ...[state, lease, user.state, user.expiries],
        ...(outbox ? [] : [app.state, app.expiries]),
      ],
      args: [
        ...firstArguments(key, event, codec ? await encodeText(codec, text) : text, options),
        fence === undefined ? '' : fence || EMPTY_FENCE,
        ifHeldBy ?? '',
        calls.waitsForReplicas ? '1' : '',
        ...[markFields.length / 2, sessionFields.length / 2, userFields.length / 2, appFields.length / 2],
        ...markFields,
        ...sessionFields,
        ...userFields,
        ...appFields,
      ],
    };
    const readReply = (reply: ScriptReply): Promise<AppendResult> =>
      this.#readReply(key, event, reply, options, startedAt);
    return calls.write(call, readReply, limitStartedAt);
  }

  async #readReply(
    key: SessionRef,
    event: Event,
    reply: ScriptReply,
    options: AppendOptions,
    startedAt: number,
  ): Promise<AppendResult> {
    const { codec, outbox, notify } = this.#context;
    const [status, value, element, ...entries] = Array.isArray(reply) ? reply : [reply];
    switch (status) {
      case 'DUPLICATE':
        await outbox?.deliver(key, entries, startedAt);
        return { event: (await readElements([element as string], Number(value), codec))[0]!, duplicate: true };
      case 'NOT_FOUND':
        throw sessionNotFound(key);
      case 'LEASE_LOST':
        throw leaseLost(key, event.invocationId);
      case 'NOT_RUNNING':
        throw notRunning(key, options.ifHeldBy!);
      case 'VERSION':
        assertVersion(value, `Session "${key.sessionId}"`);
    }
    event.seq = Number(status);
    if (Array.isArray(reply)) await outbox?.deliver(key, reply.slice(1), startedAt);
    notify(key);
    return { event, duplicate: false };
  }
}

/** Returns the arguments that every append has. */
function firstArguments(key: SessionRef, event: Event, text: string, options: AppendOptions): ScriptArgument[] {
  return [toElement(event, text), toAppMember(key), options.incarnation ?? ''];
}
