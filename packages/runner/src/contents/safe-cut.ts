import type { Event } from '@thole/core';
import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { hasCallsOrAnswers, transcriptOf } from '../history/event-kinds.ts';
import { callKey, isLongRunningCall } from '../history/call-key.ts';
import type { ContentsRequest } from './contents-request.ts';

/** A number of first events whose contents do not change. */
export interface SafeCut {
  readonly count: number;
  /** The keys of the calls before the cut. */
  readonly calls: readonly string[];
}

/**
 * Returns the number of first events whose contents no later event of the list changes. At the cut after them:
 *
 * - No speech continues across the cut, and no event after it answers a call before it.
 * - Each of the agent's calls before it is answered, is long-running, or is of an invocation that is not the last before the cut.
 * - None of these calls waits for a person.
 *
 * The caller must detect a future event that answers a call before the cut.
 */
export function safeCut(
  events: readonly Event[],
  { agentName, waiting }: Pick<ContentsRequest, 'agentName' | 'waiting'>,
): SafeCut {
  let end = events.length;
  const cuts = [0];
  const calls = new Map<string, { index: number; isOwn: boolean }>();
  const open = new OpenCalls();
  events.forEach((event, index) => {
    if (event.invocationId !== events[index - 1]?.invocationId) open.clear();
    if (hasCallsOrAnswers(event)) {
      // Calls of the user exist only in an imported history; they are shown like the agent's own.
      const isOwn = event.author === agentName || event.author === 'user';
      for (const answer of isOwn ? getFunctionResponses(event) : []) {
        const called = calls.get(callKey(answer));
        while (called && cuts.at(-1)! > called.index) cuts.pop();
        if (called?.isOwn) open.answer(callKey(answer), called.index);
      }
      for (const call of getFunctionCalls(event)) {
        calls.set(callKey(call), { index, isOwn });
        if (isOwn && !isLongRunningCall(event, call)) open.add(callKey(call), index);
        if (call.id !== undefined && waiting?.has(call.id)) end = Math.min(end, index);
      }
    }
    if (open.isEmpty && !transcriptOf(event)) cuts.push(index + 1);
  });
  const count = cuts.findLast((cut) => cut <= end)!;
  return { count, calls: [...calls].flatMap(([key, { index }]) => (index < count ? key : [])) };
}

/** The agent's open calls in one invocation. An answer goes to the newest event with calls of its key. */
class OpenCalls {
  readonly #waiting = new Map<string, { index: number; count: number }>();
  /** True if a later call has the key of an open call, which then cannot be answered. */
  #isStuck = false;

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && !this.#isStuck;
  }

  add(key: string, index: number): void {
    const known = this.#waiting.get(key);
    if (known?.index === index) known.count += 1;
    else this.#waiting.set(key, { index, count: 1 });
    if (known && known.index !== index) this.#isStuck = true;
  }

  answer(key: string, index: number): void {
    const known = this.#waiting.get(key);
    if (known?.index !== index) return;
    known.count -= 1;
    if (known.count === 0) this.#waiting.delete(key);
  }

  clear(): void {
    this.#waiting.clear();
    this.#isStuck = false;
  }
}
