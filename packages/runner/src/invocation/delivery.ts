import { getFunctionResponses } from '@thole/core';
import type { Event, MaybePromise, Runtime } from '@thole/core';
import { emptyEvent } from '../session/live-session.ts';
import type { Committer } from './committer.ts';
import type { RunTask } from './run-task.ts';

/** Passes the events of agents on: complete events to the session and then to the reader, partial events to the reader. */
export class Delivery {
  readonly #task: RunTask;
  readonly #committer: Committer;

  constructor(task: RunTask, committer: Committer) {
    this.#task = task;
    this.#committer = committer;
  }

  /** Returns the stored event, with which the agent continues. Throws if the run was stopped before the event was passed on. */
  emit(event: Event): MaybePromise<Event> {
    // Also while the run closes: events of agents come too late then.
    if (this.#task.state.error) throw this.#task.state.error;
    if (!event.partial) return this.#emitComplete(event);
    if (this.#committer.hasEventHook) return this.#emitPartialWithHook(event);
    return this.handOver(event) ?? event;
  }

  /** Passes an event to the reader. Returns undefined if the run does not wait for its reader, and else the event. */
  handOver(event: Event): Promise<Event> | undefined {
    const { attached, output } = this.#task;
    if (attached && !hasOnlyToolAnswers(event)) return output.pushAndWait(event);
    output.push(event);
    return undefined;
  }

  /** Passes a partial event to the reader without waiting. */
  show(event: Event, onError: (error: unknown) => void): void {
    const { output } = this.#task;
    if (!this.#committer.hasEventHook) return output.push(event);
    this.#committer.callEventHook(event).then((changed) => changed && output.push(changed), onError);
  }

  async #emitPartialWithHook(event: Event): Promise<Event> {
    const changed = await this.#committer.callEventHook(event);
    if (changed) await this.handOver(changed);
    return changed ?? event;
  }

  async #emitComplete(event: Event): Promise<Event> {
    // An agent may yield an event that it has committed itself.
    const stored = this.#task.session.contains(event) ? event : await this.#committer.commit(event);
    if (!stored) return emptyEvent(event);
    this.#task.state.throwIfStopped();
    const delivered = this.handOver(stored);
    if (delivered) await delivered;
    return stored;
  }
}

function hasOnlyToolAnswers(event: Event): boolean {
  const parts = event.content?.parts;
  return parts !== undefined && parts.length > 0 && getFunctionResponses(event).length === parts.length;
}

/** Queue of events between a run and its reader. */
export class OutputQueue {
  /** Since when the reader has an event and has not requested the next (monotonic ms). `Infinity` if it waits or has left. */
  idleSince: number = Infinity;
  readonly #queue: Entry[] = [];
  readonly #runtime: Runtime;
  /** The entry that the reader has taken last and still works on. */
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

  /** The event that the reader has taken last, until it requests the next. */
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

  /** Ends the queue. The reader gets the queued events, and then the error, once. */
  end(error?: unknown): void {
    this.#end = error === undefined ? {} : { error };
    const request = this.#request;
    this.#request = undefined;
    if (request) this.#settle(request);
  }

  /** Drops all queued and later events. Nothing waits for the reader any more. */
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
