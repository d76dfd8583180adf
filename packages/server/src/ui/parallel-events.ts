import type { Event } from '@thole/core';

/** An answer whose events arrive. */
export interface OpenAnswer {
  readonly eventId: string;
  readonly branch: string | undefined;
  /** True after the stored event of the answer. */
  isComplete: boolean;
}

/** Events of parallel agents. While one answer is written, the stored events of other branches wait for its end. */
export class ParallelEvents {
  readonly #held: Event[] = [];
  /** Ids of answers whose partial events are left out, because another answer was open. */
  readonly #skippedIds: Set<string> = new Set();

  /** Holds or leaves out an event that cannot be shown while this answer is open. Returns false for all other events. */
  hold(event: Event, answer: OpenAnswer | undefined): boolean {
    if (!isParallel(event, answer)) return event.partial === true && this.#skippedIds.has(event.id);
    if (event.partial) this.#skippedIds.add(event.id);
    else this.#held.push(event);
    return true;
  }

  /** Removes and returns the events on hold. */
  take(): Event[] {
    return this.#held.splice(0);
  }
}

/** True if the answer is incomplete, and the event comes from an agent of another branch. */
function isParallel({ author, branch = '', customMetadata, id }: Event, answer: OpenAnswer | undefined): boolean {
  if (!answer || answer.isComplete || answer.eventId === id || author === 'user' || author === 'system') return false;
  if (customMetadata?.['progress'] !== undefined) return false;
  const openBranch = answer.branch ?? '';
  return !isWithin(openBranch, branch) && !isWithin(branch, openBranch);
}

/** True if a branch is the other branch or a part of it. */
function isWithin(branch: string, other: string): boolean {
  return other === '' || `${branch}.`.startsWith(`${other}.`);
}
