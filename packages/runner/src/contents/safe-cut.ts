import type { Event } from '@thole/core';
import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { transcriptOf } from '../history/event-kinds.ts';
import { callKey, isLongRunningCall } from '../history/open-calls.ts';

/**
 * How many of the first of these events have contents that the others, and later ones, leave as they are: no speech goes
 * on across the cut, no event after it answers a call before it, and each of the agent's calls before it is answered, is a
 * long-running one, or belongs to an invocation that another one before the cut has followed. That an event still to come
 * answers a call before the cut is the caller's to watch for.
 */
export function safeCut(events: readonly Event[], agentName: string): number {
  const cuts = [0];
  const calls = new Map<string, { index: number; isOwn: boolean }>();
  const open = new Map<string, number>();
  events.forEach((event, index) => {
    if (event.invocationId !== events[index - 1]?.invocationId) open.clear();
    const isOwn = event.author === agentName;
    if (isOwn || event.author === 'user') {
      for (const answer of getFunctionResponses(event)) {
        const called = calls.get(callKey(answer));
        while (called && cuts.at(-1)! > called.index) cuts.pop();
        if (called?.isOwn) close(open, callKey(answer));
      }
    }
    for (const call of getFunctionCalls(event)) {
      calls.set(callKey(call), { index, isOwn });
      if (isOwn && !isLongRunningCall(event, call)) open.set(callKey(call), (open.get(callKey(call)) ?? 0) + 1);
    }
    if (open.size === 0 && !transcriptOf(event)) cuts.push(index + 1);
  });
  return cuts.at(-1)!;
}

function close(open: Map<string, number>, key: string): void {
  const count = open.get(key) ?? 0;
  if (count > 1) open.set(key, count - 1);
  else open.delete(key);
}
