import { State } from '@thole/core';
import { applyDelta, deepFreeze, getOwn, scopeOf } from '@thole/core/kit';
import type { Event, Json, Session, SessionHead, SessionRef, StateMap } from '@thole/core';
import type { StateView } from '@thole/core/kit';
import { SessionLog } from '../history/session-log.ts';

/** How many events may be stored between an event of a branch and the look-up of it. */
const LOOK_BACK = 1_000;

/** A session as a runner holds it: its events, its merged state, and how far it knows it to be right. */
export class LiveSession implements StateView {
  readonly ref: SessionRef;
  readonly incarnation: string;
  readonly log: SessionLog;
  /** Kept with the events: what is folded over them. */
  readonly folds: Map<string, unknown> = new Map();
  lastSeq: number;
  lastUpdateTime: number;
  #state: StateMap;
  #appVersion: number;
  #userVersion: number;

  constructor(session: Session, head: SessionHead | undefined) {
    this.ref = { appName: session.appName, userId: session.userId, sessionId: session.id };
    this.incarnation = session.incarnation;
    this.log = new SessionLog(session.events);
    this.lastSeq = session.lastSeq;
    this.lastUpdateTime = session.lastUpdateTime;
    this.#state = frozenValues(session.state);
    this.#appVersion = head?.appVersion ?? Number.NaN;
    this.#userVersion = head?.userVersion ?? Number.NaN;
  }

  read(key: string): Json | undefined {
    return getOwn(this.#state, key);
  }

  /** Returns the newest event with this id among the last events, if there is one. */
  findById(id: string): Event | undefined {
    for (let i = this.log.length - 1; i >= Math.max(0, this.log.length - LOOK_BACK); i--) {
      const event = this.log.at(i);
      if (event?.id === id) return event;
    }
    return undefined;
  }

  copyInto(target: StateMap): void {
    applyDelta(target, this.#state);
  }

  /** Whether nothing was written by others since: then nothing needs to be read. */
  isCurrent(head: SessionHead): boolean {
    return (
      head.incarnation === this.incarnation &&
      head.lastSeq === this.lastSeq &&
      head.appVersion === this.#appVersion &&
      head.userVersion === this.#userVersion
    );
  }

  /** Takes over an own event as it was stored. */
  add(stored: Event): void {
    this.log.push(stored);
    this.lastSeq = Math.max(this.lastSeq, stored.seq ?? this.lastSeq + 1);
    this.lastUpdateTime = Math.max(this.lastUpdateTime, stored.timestamp);
    const delta = stored.actions.stateDelta;
    applyDelta(this.#state, delta);
    // Own writes move the versions too; counted here, a later head that is further on shows a foreign write.
    let app = 0;
    let user = 0;
    for (const key in delta) {
      const scope = scopeOf(key);
      if (scope === 'app') app = 1;
      else if (scope === 'user') user = 1;
    }
    this.#appVersion += app;
    this.#userVersion += user;
  }

  /** Takes over what others wrote: a read of the events after `lastSeq`, with the state as it stands. */
  catchUp(read: Session, head: SessionHead | undefined): void {
    const missing = read.events.filter((event) => (event.seq ?? 0) > this.lastSeq);
    if (missing.length > 0) this.log.insertMissing(missing);
    this.lastSeq = Math.max(this.lastSeq, read.lastSeq);
    this.lastUpdateTime = Math.max(this.lastUpdateTime, read.lastUpdateTime);
    this.#state = frozenValues(read.state);
    this.#appVersion = head?.appVersion ?? Number.NaN;
    this.#userVersion = head?.userVersion ?? Number.NaN;
  }

  /** A copy for a memory service: all events, and the state without what only the run holds. */
  toSession(): Session {
    return {
      id: this.ref.sessionId,
      appName: this.ref.appName,
      userId: this.ref.userId,
      state: new State(this).toRecord(),
      events: [...this.log],
      lastUpdateTime: this.lastUpdateTime,
      lastSeq: this.lastSeq,
      incarnation: this.incarnation,
    };
  }
}

// The map is the session's own and goes on changing; what it holds is handed out, and so is frozen.
function frozenValues(state: StateMap): StateMap {
  for (const value of Object.values(state)) deepFreeze(value);
  return state;
}
