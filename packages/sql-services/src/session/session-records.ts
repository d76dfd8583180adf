import { encodeText } from '@thole/core/kit';
import type { Event, Fence, ScopedDelta, SessionRef, StoredSession, TextCodec } from '@thole/core';
import type { SqlValue } from '../database/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { AppendRecord } from './append-record.ts';
import { eventKeyOf } from './event-key.ts';
import type { SessionRecord } from './insert-session.ts';
import { patchOf } from './state-document.ts';
import { writesOf } from './state-writes.ts';

/** What a store writes, as the database gets it: names bound, texts encoded, state as patches and rows. */
export class SessionRecords {
  readonly #dialect: Dialect;
  readonly #codec: TextCodec | undefined;
  readonly #ttlMs: number | undefined;

  constructor(dialect: Dialect, p: { codec: TextCodec | undefined; ttlMs: number | undefined }) {
    this.#dialect = dialect;
    this.#codec = p.codec;
    this.#ttlMs = p.ttlMs;
  }

  /** App, user and session. */
  keyOf(key: SessionRef): readonly [SqlValue, SqlValue, SqlValue] {
    const { bindName } = this.#dialect;
    return [bindName(key.appName), bindName(key.userId), bindName(key.sessionId)];
  }

  async ofSession(session: StoredSession, now: number): Promise<SessionRecord> {
    const { key, incarnation, initialState, state, appState, userState, createTime, lastUpdateTime, lastSeq } = session;
    const codec = this.#codec;
    const events = session.events.map(async (event) => ({
      eventKey: eventKeyOf(event.id),
      seq: event.seq!,
      time: event.timestamp,
      text: await encodeText(codec, JSON.stringify(event)),
    }));
    return {
      key: this.keyOf(key),
      incarnation,
      initial: (await patchOf(codec, initialState)) ?? '{}',
      session: (await patchOf(codec, state)) ?? '{}',
      app: await writesOf(codec, appState),
      user: await writesOf(codec, userState),
      createTime,
      lastUpdateTime,
      lastSeq,
      expiresAt: this.#expiry(now),
      now,
      events: await Promise.all(events),
    };
  }

  async ofAppend(
    key: SessionRef,
    event: Event,
    { delta, fence, now }: { delta: ScopedDelta; fence: Fence | undefined; now: number },
  ): Promise<AppendRecord> {
    const codec = this.#codec;
    const text = encodeText(codec, JSON.stringify(event));
    const { session, app, user } = delta;
    return {
      key: this.keyOf(key),
      incarnation: key.incarnation,
      eventKey: eventKeyOf(event.id),
      time: event.timestamp,
      text: typeof text === 'string' ? text : await text,
      session: session && (await patchOf(codec, session)),
      app: app && (await writesOf(codec, app)),
      user: user && (await writesOf(codec, user)),
      fence,
      now,
      expiresAt: this.#expiry(now),
    };
  }

  #expiry(now: number): number | null {
    return this.#ttlMs === undefined ? null : now + this.#ttlMs / 1000;
  }
}
