import { TholeError } from '@thole/core';
import { encodeText } from '@thole/core/kit';
import type { Event, Fence, Runtime, ScopedDelta, SessionRef, TextCodec } from '@thole/core';
import { readElements, textOfEvent, toElement } from './event-element.ts';
import type { LocalWakes } from '../lease/local-wakes.ts';
import type { ScriptReply, ScriptArgument, ScriptCall } from '../client/pending-call.ts';
import type { RedisCalls } from '../client/redis-calls.ts';
import { toAppMember } from '../client/redis-keys.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import { appendEvent, appendEventOnCluster } from '../scripts/append-event.lua.ts';
import { assertVersion, toStateFields } from './state-fields.ts';
import type { StoreContext } from './store-context.ts';

interface Appended {
  event: Event;
  duplicate: boolean;
}

/** No lease has this fence, nor an empty one, which says to the script that none is given. */
const NOBODYS = 'none';

/** Appends events. The plain ones, without state, fence and expiry, take few keys: that is half of what an append costs. */
export class EventAppender {
  readonly #calls: RedisCalls;
  readonly #keys: RedisKeys;
  readonly #runtime: Runtime;
  readonly #wakes: LocalWakes;
  readonly #codec: TextCodec | undefined;
  readonly #parts: StoreContext;
  // Learned from the first session that expires.
  #giveAll: boolean;

  constructor(p: StoreContext) {
    this.#calls = p.calls;
    this.#keys = p.keys;
    this.#runtime = p.runtime;
    this.#wakes = p.wakes;
    this.#codec = p.codec;
    this.#parts = p;
    this.#giveAll = p.calls.waitsForReplicas;
  }

  append(key: SessionRef, event: Event, delta: ScopedDelta, fence: Fence | undefined): Promise<Appended> {
    const isPlain = fence === undefined && !delta.session && !delta.user && !delta.app;
    if (!isPlain || this.#giveAll || this.#codec || this.#parts.outbox)
      return this.#appendWhole(key, event, delta, fence);
    const places = this.#keys.session(key);
    const call: ScriptCall = {
      script: appendEvent,
      keys: [places.record, places.events, places.user.list, this.#keys.app(key.appName).list],
      args: argsOf(key, event, textOfEvent(event)),
    };
    return this.#calls.write(call, (answer): Appended | Promise<Appended> => {
      if (typeof answer === 'number') {
        event.seq = answer;
        this.#stored(key);
        return { event, duplicate: false };
      }
      if (!Array.isArray(answer) || answer[0] !== 'MORE') return this.#outcome(key, event, answer, 0);
      this.#giveAll = true;
      return this.#appendWhole(key, event, delta, fence);
    });
  }

  async #appendWhole(key: SessionRef, event: Event, delta: ScopedDelta, fence?: Fence): Promise<Appended> {
    const began = this.#runtime.monotonic();
    const { outbox } = this.#parts;
    const own = this.#keys.session(key);
    const { user } = own;
    const app = this.#keys.app(key.appName);
    const text = textOfEvent(event);
    const [ofSession, ofUser, ofApp] = [
      await toStateFields(delta.session, this.#codec),
      await toStateFields(delta.user, this.#codec),
      await toStateFields(delta.app, this.#codec),
    ];
    const answer = await this.#calls.write({
      script: outbox ? appendEventOnCluster : appendEvent,
      keys: [
        ...[own.record, own.events, user.list, outbox ? user.outbox : app.list],
        ...[own.state, own.lease, user.state, user.expiries],
        ...(outbox ? [] : [app.state, app.expiries]),
      ],
      args: [
        ...argsOf(key, event, this.#codec ? await encodeText(this.#codec, text) : text),
        ...[
          fence === undefined ? '' : fence || NOBODYS,
          this.#calls.waitsForReplicas ? '1' : '',
          ofSession.length / 2,
          ofUser.length / 2,
          ofApp.length / 2,
        ],
        ...ofSession,
        ...ofUser,
        ...ofApp,
      ],
    });
    return this.#outcome(key, event, answer, began);
  }

  async #outcome(key: SessionRef, event: Event, answer: ScriptReply, began: number): Promise<Appended> {
    const [outcome, at, known, ...pending] = Array.isArray(answer) ? answer : [answer];
    switch (outcome) {
      case 'KNOWN':
        await this.#parts.outbox?.deliver(key, pending, began);
        return { event: (await readElements([known as string], Number(at), this.#codec))[0]!, duplicate: true };
      case 'NOT_FOUND':
        throw new TholeError('SESSION_NOT_FOUND', `No session ${key.sessionId} for ${key.userId} in ${key.appName}.`);
      case 'LEASE_LOST':
        throw new TholeError(
          'LEASE_LOST',
          `Invocation ${event.invocationId} no longer holds session ${key.sessionId}.`,
        );
      case 'VERSION':
        assertVersion(at, `Session ${key.sessionId}`);
    }
    event.seq = Number(outcome);
    if (Array.isArray(answer)) await this.#parts.outbox?.deliver(key, answer.slice(1), began);
    this.#stored(key);
    return { event, duplicate: false };
  }

  #stored(key: SessionRef): void {
    if (this.#wakes.hasAny) this.#wakes.wake(this.#keys.session(key).record);
  }
}

function argsOf(key: SessionRef, event: Event, text: string): ScriptArgument[] {
  return [toElement(event, text), toAppMember(key), key.incarnation ?? ''];
}
