import { getFunctionResponses } from '@thole/core';
import type { Event, MaybePromise } from '@thole/core';
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

  /** Returns the stored event, with which the agent continues. Throws the error that stopped the run meanwhile. */
  emit(event: Event): MaybePromise<Event> {
    // Also while the run closes: events of agents come too late then.
    if (this.#task.state.error) throw this.#task.state.error;
    if (!event.partial) return this.#emitComplete(event);
    if (this.#committer.hasEventHook) return this.#emitPartialWithHook(event);
    const delivered = this.handOver(event);
    return delivered ? delivered.then(() => this.#unlessStopped(event)) : event;
  }

  /** Passes an event to the reader. Returns undefined if the run does not wait for its reader. */
  handOver(event: Event): Promise<void> | undefined {
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
    return this.#unlessStopped(changed ?? event);
  }

  async #emitComplete(event: Event): Promise<Event> {
    // An agent may yield an event that it has committed itself.
    const stored = this.#task.session.contains(event) ? event : await this.#committer.commit(event);
    if (!stored) return emptyEvent(event);
    this.#task.state.throwIfStopped();
    const delivered = this.handOver(stored);
    if (delivered) await delivered;
    return this.#unlessStopped(stored);
  }

  /** Returns the event, or throws if the run was stopped during a wait. */
  #unlessStopped(event: Event): Event {
    this.#task.state.throwIfStopped();
    return event;
  }
}

function hasOnlyToolAnswers(event: Event): boolean {
  const parts = event.content?.parts;
  return parts !== undefined && parts.length > 0 && getFunctionResponses(event).length === parts.length;
}
