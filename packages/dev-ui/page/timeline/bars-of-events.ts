import type { Event } from '@thole/core';
import type { Bar } from './lanes.ts';

/**
 * Returns the bars of a turn from its events, for a turn without traces. An event is the end of a bar. The bar of a model's
 * answer starts at the previous event of its branch, the bar of a tool at its call. If the user answers the call, the bar
 * is a wait.
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
      // The call is in another turn, and the time between belongs to no turn.
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
