import { getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import type { Event, Runtime, SessionRef, SessionService } from '@thole/core';
import { DONE_FRAME, isClosingRecord, recordedErrorFrame } from './end-frames.ts';
import { eventFrames } from './event-frames.ts';
import type { FrameSource } from './sse-response.ts';

/** How often the store is asked whether a run that another process runs has ended, or has said more. */
const POLL_MS = 500;

/** What was, and will be, stored of a run, whichever process runs it: its events from a `seq` on, and how it ended. */
export class StoredRun implements FrameSource {
  readonly #sessions: SessionService;
  readonly #ref: SessionRef;
  readonly #invocationId: string;
  readonly #runtime: Runtime;
  readonly #failed: (error: unknown) => string;
  readonly #left: AbortController = new AbortController();
  #lastSeq: number;
  #last: Event | undefined;
  /** Its calls that have no answer yet; a run that ends by itself leaves none but those that are answered later. */
  readonly #calls: Set<string> = new Set();
  #waiting: Event[] = [];
  #ended: boolean = false;
  /** Whether its lease ran out in its hands. */
  #died: boolean = false;

  private constructor(p: StoredRunOptions) {
    this.#sessions = p.sessions;
    this.#ref = p.ref;
    this.#invocationId = p.invocationId;
    this.#runtime = p.runtime;
    this.#failed = p.failed;
    this.#lastSeq = p.after;
  }

  /** `NOT_FOUND` where the session holds nothing of such a run and none is going on. */
  static async open(p: StoredRunOptions): Promise<StoredRun> {
    const made = new StoredRun(p);
    const goesOn = await made.#goesOn();
    made.#take(await made.#read(0));
    if (made.#last === undefined && !goesOn)
      throw new TholeError('NOT_FOUND', `Session ${p.ref.sessionId} knows no run ${p.invocationId}.`);
    made.#waiting = made.#waiting.filter((event) => event.seq! > p.after);
    return made;
  }

  async next(): Promise<string | undefined> {
    if (this.#ended || this.#left.signal.aborted) return undefined;
    try {
      return await this.#next();
    } catch (error) {
      this.#ended = true;
      return this.#left.signal.aborted ? undefined : this.#failed(error);
    }
  }

  leave(): void {
    this.#left.abort();
  }

  async #next(): Promise<string> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) return eventFrames(event, { split: true });
      // Asked before the events are read, so that none is missed of a run that ends in between.
      const goesOn = await this.#goesOn();
      this.#take(await this.#read(this.#lastSeq));
      if (this.#waiting.length > 0) continue;
      if (!goesOn) return this.#end();
      await this.#somethingNew();
    }
  }

  #end(): string {
    this.#ended = true;
    if (this.#last && isClosingRecord(this.#last)) return recordedErrorFrame(this.#last);
    if (!this.#died && this.#calls.size === 0) return DONE_FRAME;
    const sentence = `Invocation ${this.#invocationId} ended in the middle: its process died or hangs.`;
    return this.#failed(new TholeError('LEASE_LOST', sentence));
  }

  async #goesOn(): Promise<boolean> {
    const lease = await this.#sessions.leasing?.current(this.#ref);
    if (lease?.invocationId !== this.#invocationId) return false;
    this.#died = lease.expired;
    return !lease.expired;
  }

  async #read(afterSeq: number): Promise<readonly Event[]> {
    const session = await this.#sessions.getSession({ ...this.#ref, afterSeq, signal: this.#left.signal });
    if (!session) throw new TholeError('SESSION_NOT_FOUND', `There is no session ${this.#ref.sessionId}.`);
    this.#lastSeq = Math.max(this.#lastSeq, session.lastSeq);
    return session.events;
  }

  #take(events: readonly Event[]): void {
    for (const event of events) {
      if (event.invocationId !== this.#invocationId) continue;
      this.#last = event;
      for (const { id } of getFunctionCalls(event))
        if (id !== undefined && !event.longRunningToolIds?.includes(id)) this.#calls.add(id);
      for (const { id } of getFunctionResponses(event)) if (id !== undefined) this.#calls.delete(id);
      if (event.author !== 'user') this.#waiting.push(event);
    }
  }

  /** Resolves when an event was stored, and at the latest when it is time to ask whether the run has ended. */
  async #somethingNew(): Promise<void> {
    const enough = new AbortController();
    const leave = (): void => enough.abort();
    this.#left.signal.addEventListener('abort', leave, { once: true });
    const pause = this.#runtime.sleep(POLL_MS, enough.signal).catch(() => {});
    const notice = this.#notice(enough.signal);
    await Promise.race([pause, notice]);
    enough.abort();
    this.#left.signal.removeEventListener('abort', leave);
  }

  // Where the store cannot watch, or its watch breaks, the pause alone decides.
  async #notice(signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of this.#sessions.watching?.watch(this.#ref, this.#lastSeq, signal) ?? []) return;
    } catch {}
    await this.#runtime.sleep(POLL_MS, signal).catch(() => {});
  }
}

/** Of which run, and from where on. */
export interface StoredRunOptions {
  sessions: SessionService;
  ref: SessionRef;
  invocationId: string;
  after: number;
  runtime: Runtime;
  /** Makes the frame of an error. */
  failed: (error: unknown) => string;
}

/** The stored events of a run after a `seq`, without the user's own. */
export async function storedEvents(p: {
  sessions: SessionService;
  ref: SessionRef;
  invocationId: string;
  after: number;
}): Promise<readonly Event[]> {
  const session = await p.sessions.getSession({ ...p.ref, afterSeq: p.after });
  return (session?.events ?? []).filter((event) => event.invocationId === p.invocationId && event.author !== 'user');
}
