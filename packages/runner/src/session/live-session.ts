import { createEvent, State } from '@thole/core';
import { applyDelta, deepFreeze, getOwn, scopeOf } from '@thole/core/kit';
import type { Event, Json, Session, SessionHead, SessionRef, StateMap } from '@thole/core';
import type { StateView } from '@thole/core/kit';
import { SessionLog } from '../history/session-log.ts';

/** Number of last events in which `storedAs` looks for an event. Other branches may have stored events after it. */
const MAX_SEARCHED_EVENTS = 1_000;

/** A session in memory for runs: events, merged state, and versions that show whether another writer has changed the session. */
export class LiveSession implements StateView {
  readonly ref: SessionRef;
  readonly incarnation: string;
  readonly log: SessionLog;
  /** Results that are computed from the events and updated with new events, by key. */
  readonly folds: Map<string, unknown> = new Map();
  readonly forkedFrom: Session['forkedFrom'];
  /** Id of the unfinished invocation by the stored marks, or null. Undefined if the service does not store marks. */
  unfinished: string | null | undefined;
  lastSeq: number;
  lastUpdateTime: number;
  #state: StateMap;
  /** NaN if unknown, so that it equals no version. */
  #appVersion: number;
  #userVersion: number;

  constructor(session: Session, head: SessionHead | undefined) {
    this.ref = { appName: session.appName, userId: session.userId, sessionId: session.id };
    this.incarnation = session.incarnation;
    this.forkedFrom = session.forkedFrom;
    this.log = new SessionLog(session.events);
    this.lastSeq = session.lastSeq;
    this.lastUpdateTime = session.lastUpdateTime;
    this.unfinished = session.marks?.unfinished;
    this.#state = frozenValues(session.state);
    this.#appVersion = head?.appVersion ?? Number.NaN;
    this.#userVersion = head?.userVersion ?? Number.NaN;
  }

  read(key: string): Json | undefined {
    return getOwn(this.#state, key);
  }

  copyInto(target: StateMap): void {
    applyDelta(target, this.#state);
  }

  /** True if no other writer has changed the session. Then the session need not be read again. */
  isCurrent(head: SessionHead): boolean {
    return (
      head.incarnation === this.incarnation &&
      head.lastSeq === this.lastSeq &&
      (head.lastEventId === undefined || head.lastEventId === this.log.at(-1)?.id) &&
      head.appVersion === this.#appVersion &&
      head.userVersion === this.#userVersion
    );
  }

  /** Adds an event that this runner has stored. */
  add(stored: Event): void {
    this.log.push(stored);
    this.lastSeq = Math.max(this.lastSeq, stored.seq ?? this.lastSeq + 1);
    this.lastUpdateTime = Math.max(this.lastUpdateTime, stored.timestamp);
    const delta = stored.actions.stateDelta;
    applyDelta(this.#state, delta);
    // The store also counts these writes. A head with a higher version shows that another writer changed the state.
    let appWrites = 0;
    let userWrites = 0;
    for (const key in delta) {
      const scope = scopeOf(key);
      if (scope === 'app') appWrites = 1;
      else if (scope === 'user') userWrites = 1;
    }
    this.#appVersion += appWrites;
    this.#userVersion += userWrites;
  }

  /**
   * Adds events of other writers. `newer` contains the events after `lastSeq` and the current state. Does nothing if it was read
   * before the newest event was added.
   */
  catchUp(newer: Session, head: SessionHead | undefined): void {
    if (newer.lastSeq < this.lastSeq) return;
    const missing = newer.events.filter((event) => (event.seq ?? 0) > this.lastSeq);
    if (missing.length > 0) this.log.insertMissing(missing);
    this.lastSeq = Math.max(this.lastSeq, newer.lastSeq);
    this.lastUpdateTime = Math.max(this.lastUpdateTime, newer.lastUpdateTime);
    this.unfinished = newer.marks?.unfinished;
    this.#state = frozenValues(newer.state);
    this.#appVersion = head?.appVersion ?? Number.NaN;
    this.#userVersion = head?.userVersion ?? Number.NaN;
  }

  /** True if this event object is in the log: an agent may yield an event that it has committed itself. */
  contains(event: Event): boolean {
    if (event.seq === undefined) return false;
    return this.log.at(this.log.length - 1 - (this.lastSeq - event.seq)) === event;
  }

  /**
   * Returns the stored event for an agent whose `yield` returned undefined: the stored event with the same id, or an empty
   * event if none was stored. Returns a partial or stored event unchanged.
   */
  storedAs(event: Event): Event {
    return event.partial || event.seq !== undefined ? event : (this.#findById(event.id) ?? emptyEvent(event));
  }

  /** Returns a copy for a memory service: all events, and the stored state. */
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
      ...(this.forkedFrom && { forkedFrom: this.forkedFrom }),
    };
  }

  #findById(id: string): Event | undefined {
    for (let i = this.log.length - 1; i >= Math.max(0, this.log.length - MAX_SEARCHED_EVENTS); i--) {
      const event = this.log.at(i);
      if (event?.id === id) return event;
    }
    return undefined;
  }
}

/** Returns the event that an agent receives if a plugin dropped its event: without content and actions. */
export function emptyEvent(event: Event): Event {
  return createEvent({
    id: event.id,
    author: event.author,
    invocationId: event.invocationId,
    timestamp: event.timestamp,
  });
}

// The values are frozen because agents and tools receive them. The map itself stays mutable: the session updates it.
function frozenValues(state: StateMap): StateMap {
  for (const value of Object.values(state)) deepFreeze(value);
  return state;
}
