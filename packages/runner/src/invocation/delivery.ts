import { getFunctionResponses } from '@thole/core';
import type { Event, MaybePromise, TholeError } from '@thole/core';
import type { Committer } from './committer.ts';
import type { LiveSession } from '../session/live-session.ts';
import { emptyEvent } from '../session/stored-event.ts';
import type { OutputQueue } from './output-queue.ts';

/** The run whose events are delivered. */
export interface Delivering {
  readonly reader: OutputQueue;
  readonly live: LiveSession;
  /** Whether it waits for its reader, event by event. */
  readonly attached: boolean;
  /** Why it was stopped, if it was. */
  readonly stopReason: TholeError | undefined;
  throwIfStopped(): void;
}

/** The way of an agent's event: into the session, unless it is a partial one, and then to the reader. */
export class Delivery {
  readonly #run: Delivering;
  readonly #committer: Committer;

  constructor(run: Delivering, committer: Committer) {
    this.#run = run;
    this.#committer = committer;
  }

  /** Answers what the agent goes on with: the event as it was stored. Throws why the run was stopped meanwhile. */
  emit(event: Event): MaybePromise<Event> {
    // Also while the run closes: what an agent still says then comes after the end.
    if (this.#run.stopReason) throw this.#run.stopReason;
    if (!event.partial) return this.#emitWhole(event);
    if (this.#committer.listened) return this.#emitHeard(event);
    const taking = this.handOver(event);
    return taking ? taking.then(() => this.#goingOnWith(event)) : event;
  }

  /** Nothing to wait for where the run does not wait for its reader. */
  handOver(event: Event): Promise<void> | undefined {
    const { attached, reader } = this.#run;
    if (attached && !holdsOnlyAnswers(event)) return reader.pushAndWait(event);
    reader.push(event);
    return undefined;
  }

  /** Shows a partial event that nobody waits with. */
  show(event: Event, onError: (error: unknown) => void): void {
    const { reader } = this.#run;
    if (!this.#committer.listened) return reader.push(event);
    this.#committer.hear(event).then((heard) => heard && reader.push(heard), onError);
  }

  async #emitHeard(event: Event): Promise<Event> {
    const heard = await this.#committer.hear(event);
    if (heard) await this.handOver(heard);
    return this.#goingOnWith(heard ?? event);
  }

  async #emitWhole(event: Event): Promise<Event> {
    const stored = this.#isStored(event) ? event : await this.#committer.commit(event);
    if (!stored) return emptyEvent(event);
    this.#run.throwIfStopped();
    const taking = this.handOver(stored);
    if (taking) await taking;
    return this.#goingOnWith(stored);
  }

  /** After a wait the run may have been stopped. */
  #goingOnWith(event: Event): Event {
    this.#run.throwIfStopped();
    return event;
  }

  /** Whether an agent yields what it has committed before: then it is only handed over. */
  #isStored(event: Event): boolean {
    if (event.seq === undefined) return false;
    const { log, lastSeq } = this.#run.live;
    return log.at(log.length - 1 - (lastSeq - event.seq)) === event;
  }
}

function holdsOnlyAnswers(event: Event): boolean {
  const parts = event.content?.parts;
  return parts !== undefined && parts.length > 0 && getFunctionResponses(event).length === parts.length;
}
