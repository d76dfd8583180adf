import type { Event } from '@thole/core';
import { eventFrame } from './event-frame.ts';

/** Writes the part of a run that an agent executes as a step. Several steps may be open if agents run concurrently. */
export class StepStream {
  /** The branch of the last event of each open step. */
  readonly #open: Map<string, string | undefined> = new Map();

  /** Returns the ends of earlier steps, and the start of the step of this event's agent if it is not open. */
  enter({ author, branch }: Event): string {
    const isOpen = this.#open.has(author);
    if (isOpen && this.#open.get(author) === branch) return '';
    let frames = '';
    for (const [name, other] of this.#open)
      if (name !== author && !isParallel(branch, other)) frames += this.#close(name);
    this.#open.set(author, branch);
    return isOpen ? frames : frames + eventFrame('STEP_STARTED', { stepName: author });
  }

  /** Returns the ends of all open steps. */
  closeAll(): string {
    return [...this.#open.keys()].map((name) => this.#close(name)).join('');
  }

  #close(stepName: string): string {
    this.#open.delete(stepName);
    return eventFrame('STEP_FINISHED', { stepName });
  }
}

/** True for two different branches, because their agents run concurrently. */
function isParallel(branchA: string | undefined, branchB: string | undefined): boolean {
  return branchA !== undefined && branchB !== undefined && branchA !== branchB;
}
