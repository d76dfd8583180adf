import type { Event } from '@thole/core';
import type { Bar } from './lanes.ts';

/**
 * Returns the time of a turn from its events, if there are no traces: an event marks the end of its work. A model's
 * answer took the time since the previous event of its branch, a tool the time since its call; a call that the user
 * answers waited.
 */
export function barsOfEvents(turn: readonly Event[]): Bar[] {
  const bars: Bar[] = [];
  const calls = new Map<string, { startMs: number; lane: string }>();
  const before = new Map<string, number>();
  for (const event of turn) {
    if (event.partial) continue;
    const { id: eventId, author, branch = '', errorCode: error } = event;
    const endMs = event.timestamp * 1_000;
    const startMs = before.get(branch) ?? before.get('') ?? endMs;
    const parts = event.content?.parts ?? [];
    const answers = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    for (const { id, name } of answers) {
      const isWait = author === 'user';
      const call = calls.get(id ?? name) ?? (isWait ? undefined : { startMs, lane: author });
      // Called in another turn: the time between belongs to neither.
      if (!call) continue;
      bars.push({
        id: `${eventId} ${id ?? name}`,
        lane: call.lane,
        kind: isWait ? 'wait' : 'tool',
        label: name,
        startMs: call.startMs,
        endMs,
        eventId,
        error,
      });
    }
    if (answers.length === 0 && author !== 'user' && author !== 'system' && (parts.length > 0 || error !== undefined))
      bars.push({ id: eventId, lane: author, kind: 'model', label: 'model', startMs, endMs, eventId, error });
    for (const { functionCall } of parts) {
      if (!functionCall) continue;
      calls.set(functionCall.id ?? functionCall.name, { startMs: endMs, lane: author });
    }
    before.set(branch, endMs);
  }
  return bars;
}
