import { getFunctionCalls, getFunctionResponses, pendingInterrupts, TholeError } from '@thole/core';
import { isClosingRecord, sessionNotFound } from '@thole/core/kit';
import type { Event, Runtime, SessionRef, SessionService } from '@thole/core';

/** Interval at which the store is read for new events and for the end of a run in another process, in milliseconds. */
const POLL_MS = 500;

/** Options of `StoredEvents`. */
export interface StoredEventsOptions {
  sessions: SessionService;
  ref: SessionRef;
  invocationId: string;
  /** The reader starts after the event with this `seq`. */
  after: number;
  runtime: Runtime;
  /** True to read the user's events too. Default: false. */
  withUserEvents?: boolean | undefined;
}

/**
 * Reads the stored events of an invocation after a `seq` until the invocation ends or pauses. Any process may run it. If its
 * process has died, waits until another process continues it.
 */
export class StoredEvents {
  readonly #sessions: SessionService;
  readonly #ref: SessionRef;
  readonly #invocationId: string;
  readonly #runtime: Runtime;
  readonly #withUserEvents: boolean;
  readonly #closeController: AbortController = new AbortController();
  #lastSeq: number;
  #lastEvent: Event | undefined;
  /** Calls without an answer, except long-running ones. After a normal end, each of them waits for an open interrupt. */
  readonly #openCalls: Set<string> = new Set();
  #queue: Event[] = [];
  #isLeaseExpired: boolean = false;
  /** True if another process may continue the invocation. */
  #isUnfinished: boolean = false;
  /** True if the app can continue invocations. Then an invocation that is not unfinished has ended or paused normally. */
  #wasUnfinished: boolean = false;

  private constructor(p: StoredEventsOptions) {
    this.#sessions = p.sessions;
    this.#ref = p.ref;
    this.#invocationId = p.invocationId;
    this.#runtime = p.runtime;
    this.#withUserEvents = p.withUserEvents ?? false;
    this.#lastSeq = p.after;
  }

  /** Throws `NOT_FOUND` if the invocation is not active and the session has no events of it. */
  static async open(p: StoredEventsOptions): Promise<StoredEvents> {
    const reader = new StoredEvents(p);
    const isActive = await reader.#isActive();
    reader.#addEvents(await reader.#read(0));
    if (reader.#lastEvent === undefined && !isActive)
      throw new TholeError('NOT_FOUND', `Session ${p.ref.sessionId} has no run ${p.invocationId}.`);
    reader.#queue = reader.#queue.filter((event) => event.seq! > p.after);
    return reader;
  }

  get closed(): boolean {
    return this.#closeController.signal.aborted;
  }

  /** Ends pending reads. */
  close(): void {
    this.#closeController.abort();
  }

  /**
   * Returns the next event. The last result is `done`, and its value is the closing record if the run has failed. Throws
   * `LEASE_LOST` if the process of the run has crashed or hangs. Rejects after `close`, and with errors of the store.
   */
  async next(): Promise<IteratorResult<Event, Event | undefined>> {
    for (;;) {
      this.#closeController.signal.throwIfAborted();
      const event = this.#queue.shift();
      if (event) return { done: false, value: event };
      // The lease is read before the events. Otherwise the last events of a run that ends in between would be missed.
      const isActive = await this.#isActive();
      this.#addEvents(await this.#read(this.#lastSeq));
      if (this.#queue.length > 0) continue;
      if (!isActive && !this.#isUnfinished) return { done: true, value: await this.#closingRecord() };
      await this.#waitForEvents();
    }
  }

  async #closingRecord(): Promise<Event | undefined> {
    if (this.#lastEvent && isClosingRecord(this.#lastEvent)) return this.#lastEvent;
    if (this.#wasUnfinished || !(this.#isLeaseExpired || (await this.#hasLostCall()))) return undefined;
    const message = `Invocation ${this.#invocationId} ended early: its process has crashed or hangs.`;
    throw new TholeError('LEASE_LOST', message);
  }

  /** True if a call has no answer and does not wait for one. */
  async #hasLostCall(): Promise<boolean> {
    if (this.#openCalls.size === 0) return false;
    const session = await this.#sessions.getSession({ ...this.#ref, signal: this.#closeController.signal });
    const waiting = new Set(pendingInterrupts(session?.events ?? []).map(({ functionCallId }) => functionCallId));
    return [...this.#openCalls].some((id) => !waiting.has(id));
  }

  async #isActive(): Promise<boolean> {
    const lease = await this.#sessions.leasing?.current(this.#ref);
    if (lease?.invocationId !== this.#invocationId) return false;
    this.#isLeaseExpired = lease.expired;
    return !lease.expired;
  }

  async #read(afterSeq: number): Promise<readonly Event[]> {
    const session = await this.#sessions.getSession({ ...this.#ref, afterSeq, signal: this.#closeController.signal });
    if (!session) throw sessionNotFound(this.#ref);
    this.#isUnfinished = session.marks?.unfinished === this.#invocationId;
    this.#wasUnfinished ||= this.#isUnfinished;
    this.#lastSeq = Math.max(this.#lastSeq, session.lastSeq);
    return session.events;
  }

  #addEvents(events: readonly Event[]): void {
    for (const event of events) {
      if (event.invocationId !== this.#invocationId) continue;
      this.#lastEvent = event;
      for (const { id } of getFunctionCalls(event))
        if (id !== undefined && !event.longRunningToolIds?.includes(id)) this.#openCalls.add(id);
      for (const { id } of getFunctionResponses(event)) if (id !== undefined) this.#openCalls.delete(id);
      if (this.#withUserEvents || event.author !== 'user') this.#queue.push(event);
    }
  }

  /** Resolves when an event is stored, at the latest after `POLL_MS`. */
  async #waitForEvents(): Promise<void> {
    const done = new AbortController();
    const stop = (): void => done.abort();
    this.#closeController.signal.addEventListener('abort', stop, { once: true });
    const pause = this.#runtime.sleep(POLL_MS, done.signal).catch(() => {});
    await Promise.race([pause, this.#nextStoredEvent(done.signal)]);
    done.abort();
    this.#closeController.signal.removeEventListener('abort', stop);
  }

  // Resolves after the pause if the store cannot watch sessions, or if watching fails.
  async #nextStoredEvent(signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of this.#sessions.watching?.watch(this.#ref, this.#lastSeq, signal) ?? []) return;
    } catch {}
    await this.#runtime.sleep(POLL_MS, signal).catch(() => {});
  }
}
