import { encodeText, toEventText } from '@thole/core/kit';
import type { AppendOptions, Event, ScopedDelta, SessionRef, StateMap, StoredSession, TextCodec } from '@thole/core';
import type { SqlValue } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { heldByCondition, fenceCondition } from '../lease/lease-conditions.ts';
import type { AppendRecord } from './append-record.ts';
import { toEventKey } from './event-key.ts';
import type { SessionRecord } from './insert-session.ts';
import { setsMark, toMarkValues } from './session-marks.ts';
import type { MarkValue } from './session-marks.ts';
import { toStatePatch } from './state-document.ts';
import { toStateWrites } from './state-writes.ts';

/** Converts sessions and appends to the form of the database: names as parameters, encoded texts, state as patches and rows. */
export class SessionRecords {
  readonly #dialect: Dialect;
  readonly #codec: TextCodec | undefined;
  readonly #ttlMs: number | undefined;

  constructor(dialect: Dialect, p: { codec: TextCodec | undefined; ttlMs: number | undefined }) {
    this.#dialect = dialect;
    this.#codec = p.codec;
    this.#ttlMs = p.ttlMs;
  }

  /** Returns the parameters of app, user and session. */
  bindKey(key: SessionRef): readonly [SqlValue, SqlValue, SqlValue] {
    const { bindName } = this.#dialect;
    return [bindName(key.appName), bindName(key.userId), bindName(key.sessionId)];
  }

  async toSessionRecord(session: StoredSession, now: number): Promise<SessionRecord> {
    const { key, incarnation, initialState, state, appState, userState, createTime, lastUpdateTime, lastSeq } = session;
    const marks = toMarkValues(this.#dialect, session.marks);
    const codec = this.#codec;
    const events = session.events.map(async (event) => ({
      eventKey: toEventKey(event.id),
      seq: event.seq!,
      time: event.timestamp,
      text: await encodeText(codec, toEventText(event)),
    }));
    return {
      key: this.bindKey(key),
      incarnation,
      initial: (await toStatePatch(codec, withoutNull(initialState))) ?? '{}',
      session: (await toStatePatch(codec, withoutNull(state))) ?? '{}',
      app: await toStateWrites(codec, appState),
      user: await toStateWrites(codec, userState),
      createTime,
      lastUpdateTime,
      lastSeq,
      marks,
      forkedFrom: session.forkedFrom === undefined ? null : JSON.stringify(session.forkedFrom),
      expiresAt: this.expiry(marks, now),
      now,
      events: await Promise.all(events),
    };
  }

  async toAppendRecord(
    key: SessionRef,
    event: Event,
    { delta, options, now }: { delta: ScopedDelta; options: AppendOptions; now: number },
  ): Promise<AppendRecord> {
    const codec = this.#codec;
    const text = encodeText(codec, toEventText(event));
    const { session, app, user } = delta;
    const { fence, ifHeldBy, incarnation } = options;
    const marks = toMarkValues(this.#dialect, options.marks);
    return {
      key: this.bindKey(key),
      incarnation,
      eventKey: toEventKey(event.id),
      time: event.timestamp,
      text: typeof text === 'string' ? text : await text,
      session: session && (await toStatePatch(codec, session)),
      sessionKeys: Object.keys(session ?? {}).length,
      app: app && (await toStateWrites(codec, app)),
      user: user && (await toStateWrites(codec, user)),
      lease:
        fence === undefined
          ? ifHeldBy === undefined
            ? undefined
            : heldByCondition(ifHeldBy, now)
          : fenceCondition(fence),
      marks,
      now,
      expiresAt: this.expiry(marks, now),
    };
  }

  /** Returns the expiry time of a session whose marks are written. Null if sessions do not expire or a mark is set. */
  expiry(marks: readonly MarkValue[], now: number): number | null {
    return this.#ttlMs === undefined || setsMark(marks) ? null : now + this.#ttlMs / 1000;
  }
}

/** Returns the state without keys whose value is null. A document has no such keys. */
function withoutNull(state: StateMap): StateMap {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
}
