import { getFunctionResponses } from '@thole/core';
import type { Event, MaybePromise, Runtime } from '@thole/core';
import { emptyEvent } from '../session/live-session.ts';
import { withMetadata } from './committer.ts';
import type { Committer } from './committer.ts';
import type { RunTask } from './run-task.ts';

/** Delivers the events of agents: complete events to the session, then to the reader; partial events to the reader only. */
export class Delivery {
  readonly #task: RunTask;
  readonly #committer: Committer;
  /** `seq` of the newest event that the reader has received, or of the newest event when the run opened. */
  #lastSeq: number;
  /** Answers of tools that the reader has received before their agent yields them. */
  readonly #early: Set<Event> = new Set();

  constructor(task: RunTask, committer: Committer, lastSeq: number) {
    this.#task = task;
    this.#lastSeq = lastSeq;
    this.#committer = committer;
  }

  /** Returns the stored event for the agent. Throws if the run was stopped before the event reached the reader. */
  emit(event: Event): MaybePromise<Event> {
    // Also throws while the run closes, when events of agents are too late.
    if (this.#task.state.error) throw this.#task.state.error;
    if (!event.partial) return this.#emitComplete(event);
    const partial = withMetadata(event, this.#task.runConfig.customMetadata);
    if (this.#committer.hasEventHook) return this.#emitPartialWithHook(partial);
    return this.passToReader(partial) ?? partial;
  }

  /** Passes an event to the reader. Resolves when the reader requests the next event. Undefined if the run does not wait for it. */
  passToReader(event: Event): Promise<Event> | undefined {
    const { attached, output } = this.#task;
    if (attached && !hasOnlyToolAnswers(event)) return output.pushAndWait(event);
    output.push(event);
    return undefined;
  }

  /** Passes a partial event to the reader without waiting. */
  show(event: Event, onError: (error: unknown) => void): void {
    const { output, runConfig } = this.#task;
    const partial = withMetadata(event, runConfig.customMetadata);
    if (!this.#committer.hasEventHook) return output.push(partial);
    this.#committer.callEventHook(partial).then((changed) => changed && output.push(changed), onError);
  }

  async #emitPartialWithHook(event: Event): Promise<Event> {
    const changed = await this.#committer.callEventHook(event);
    if (changed) await this.passToReader(changed);
    return changed ?? event;
  }

  async #emitComplete(event: Event): Promise<Event> {
    // An agent may yield an event that it has committed itself.
    const stored = this.#task.session.contains(event) ? event : await this.#committer.commit(event);
    if (!stored) return emptyEvent(event);
    this.#task.state.throwIfStopped();
    if (this.#early.delete(stored)) return stored;
    this.#passEarlierAnswers(stored);
    const delivered = this.passToReader(stored);
    if (delivered) await delivered;
    return stored;
  }

  /**
   * Passes answers of tools of other branches that were stored before this event to the reader, because a reader continues after
   * the last `seq` that it has received. Their agents yield them later.
   */
  #passEarlierAnswers({ branch, seq }: Event): void {
    const { invocationId, output, session } = this.#task;
    if (seq === undefined) return;
    const after = this.#lastSeq;
    this.#lastSeq = Math.max(after, seq);
    const isEarlier = (event: Event): boolean =>
      event.seq! < seq &&
      event.branch !== branch &&
      event.invocationId === invocationId &&
      event.author !== 'user' &&
      hasOnlyToolAnswers(event);
    const earlier: Event[] = [];
    for (let i = session.log.length - 1; (session.log.at(i)?.seq ?? 0) > after; i--) {
      const event = session.log.at(i)!;
      if (isEarlier(event)) earlier.unshift(event);
    }
    for (const event of earlier) {
      this.#early.add(event);
      output.push(event);
    }
  }
}

function hasOnlyToolAnswers(event: Event): boolean {
  const parts = event.content?.parts;
  return parts !== undefined && parts.length > 0 && getFunctionResponses(event).length === parts.length;
}

/** Queue of events between a run and its reader. */
export class OutputQueue {
  /** Time since which the reader has not requested the next event (monotonic ms). `Infinity` if it waits for one or has left. */
  idleSince: number = Infinity;
  readonly #queue: Entry[] = [];
  readonly #runtime: Runtime;
  /** The entry that the reader is processing. */
  #current: Entry | undefined;
  /** The `next()` call that waits for an event. */
  #request: PromiseWithResolvers<IteratorResult<Event>> | undefined;
  #end: { error?: unknown } | undefined;
  #hasLeft: boolean = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** True if a `next()` call waits for an event. */
  get isRequested(): boolean {
    return this.#request !== undefined;
  }

  /** The event that the reader is processing, until it requests the next event. */
  get currentEvent(): Event | undefined {
    return this.#current?.event;
  }

  push(event: Event): void {
    this.#add({ event });
  }

  /** Resolves with the event when the reader requests the next one, or leaves. */
  pushAndWait(event: Event): Promise<Event> {
    if (this.#hasLeft) return Promise.resolve(event);
    const { promise, resolve } = Promise.withResolvers<Event>();
    this.#add({ event, done: resolve });
    return promise;
  }

  next(): Promise<IteratorResult<Event>> {
    const previous = this.#current;
    this.#current = undefined;
    previous?.done?.(previous.event);
    const entry = this.#queue.shift();
    if (entry) {
      this.#take(entry);
      return Promise.resolve({ value: entry.event, done: false });
    }
    if (this.#end) {
      const request = Promise.withResolvers<IteratorResult<Event>>();
      this.#settle(request);
      return request.promise;
    }
    this.idleSince = Infinity;
    return (this.#request = Promise.withResolvers()).promise;
  }

  /** Ends the queue. The reader receives the queued events, and then the error, once. */
  end(error?: unknown): void {
    this.#end = error === undefined ? {} : { error };
    const request = this.#request;
    this.#request = undefined;
    if (request) this.#settle(request);
  }

  /** Called when the reader leaves. Drops all queued and later events. */
  leave(): void {
    const waiting = [this.#current, ...this.#queue];
    this.#queue.length = 0;
    this.#current = undefined;
    this.#hasLeft = true;
    this.idleSince = Infinity;
    for (const entry of waiting) entry?.done?.(entry.event);
  }

  #add(entry: Entry): void {
    if (this.#hasLeft) return;
    const request = this.#request;
    if (!request) {
      this.#queue.push(entry);
      if (this.idleSince === Infinity) this.idleSince = this.#runtime.monotonic();
      return;
    }
    this.#request = undefined;
    this.#take(entry);
    request.resolve({ value: entry.event, done: false });
  }

  #take(entry: Entry): void {
    this.#current = entry;
    this.idleSince = this.#runtime.monotonic();
  }

  #settle(request: PromiseWithResolvers<IteratorResult<Event>>): void {
    const end = this.#end!;
    this.#end = {};
    if ('error' in end) request.reject(end.error);
    else request.resolve({ value: undefined, done: true });
  }
}

interface Entry {
  readonly event: Event;
  /** Called when the reader has finished with the event. */
  done?(event: Event): void;
}
