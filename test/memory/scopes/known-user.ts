import { textOf } from '@thole/core';
import { turnId } from '@thole/core/kit';
import type { Event, Session, UserRef } from '@thole/core';

/** A model of one user's memory: the entries that a correct service has, and those that it has deleted. */
export class KnownUser {
  readonly user: UserRef;
  /** A text that all entries of this user contain, and no entry of another user. */
  readonly sign: string;
  readonly texts = new Map<string, { text: string; sessionId?: string }>();
  readonly #said = new Map<string, Event[]>();
  readonly #gone = new Set<string>();
  #goneUntil = -Infinity;

  constructor(user: UserRef, sign: string) {
    this.user = user;
    this.sign = sign;
  }

  say(sessionId: string, text: string, now: number): Event {
    const events = this.#said.get(sessionId) ?? [];
    this.#said.set(sessionId, events);
    // Ids start again for every user, so that they are nearly equal.
    const event: Event = {
      id: `e${events.length}`,
      invocationId: `i${events.length}`,
      author: events.length % 2 === 0 ? 'user' : 'agent',
      timestamp: now,
      content: { parts: [{ text: `${text} ${this.sign}` }] },
      actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
    };
    events.push(event);
    return event;
  }

  session(sessionId: string): Session {
    const events = [...(this.#said.get(sessionId) ?? [])];
    return {
      ...this.user,
      id: sessionId,
      state: {},
      events,
      lastUpdateTime: 0,
      lastSeq: events.length,
      incarnation: 'i',
    };
  }

  ingest(sessionId: string, events: readonly Event[]): void {
    for (const { id: eventId, content, timestamp } of events) {
      const id = turnId(sessionId, eventId);
      if (this.#gone.has(id) || timestamp <= this.#goneUntil || this.texts.has(id)) continue;
      this.texts.set(id, { text: textOf(content), sessionId });
    }
  }

  forget(ids: readonly string[]): number {
    const there = ids.filter((id) => this.texts.delete(id));
    for (const id of there) this.#gone.add(id);
    return there.length;
  }

  forgetEverything(now: number): number {
    this.#goneUntil = now;
    return this.forget([...this.texts.keys()]);
  }
}
