import type { Event } from '@thole/core';
import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { transcriptOf } from '../history/event-kinds.ts';
import { callKey, isLongRunningCall } from '../history/open-calls.ts';

/**
 * How many of the first of these events have contents that later events leave as they are: no speech goes on across the
 * cut, and each of the agent's calls before it is answered, is a long-running one, or belongs to an invocation that
 * another one before the cut has followed. Later answers to calls before the cut are the caller's to watch for.
 */
export function safeCut(events: readonly Event[], agentName: string): number {
  let cut = 0;
  let invocationId: string | undefined;
  const open = new Map<string, number>();
  const foreign = new Set<string>();
  events.forEach((event, i) => {
    if (event.invocationId !== invocationId) open.clear();
    invocationId = event.invocationId;
    const isOwn = event.author === agentName;
    if (isOwn || event.author === 'user') for (const answer of getFunctionResponses(event)) close(open, foreign, callKey(answer));
    for (const call of getFunctionCalls(event)) {
      const key = callKey(call);
      if (!isOwn) foreign.add(key);
      else {
        foreign.delete(key);
        if (!isLongRunningCall(event, call)) open.set(key, (open.get(key) ?? 0) + 1);
      }
    }
    if (open.size === 0 && !transcriptOf(event)) cut = i + 1;
  });
  return cut;
}

function close(open: Map<string, number>, foreign: ReadonlySet<string>, key: string): void {
  const count = open.get(key);
  if (count === undefined || foreign.has(key)) return;
  if (count === 1) open.delete(key);
  else open.set(key, count - 1);
}
