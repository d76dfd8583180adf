import { turnId, withoutQuotedMemory } from '@thole/core';
import type { Event, MemoryEntry, Part } from '@thole/core';

/**
 * What user and agents said, as entries: one for each whole event with text. Left out are thoughts, calls and their answers,
 * code, files, partials, summaries, and memory that was quoted in a prompt.
 */
export function turnsOf(sessionId: string, events: readonly Event[]): MemoryEntry[] {
  const turns: MemoryEntry[] = [];
  for (const event of events) {
    if (event.partial || event.actions?.compaction) continue;
    const parts = (event.content?.parts ?? [])
      .filter(wasSaid)
      .map(({ text }) => ({ text: withoutQuotedMemory(text!) }));
    const said = parts.filter(({ text }) => text !== '');
    if (said.every(({ text }) => text.trim() === '')) continue;
    const role = event.content?.role;
    turns.push({
      id: turnId(sessionId, event.id),
      kind: 'turn',
      content: { ...((role === 'user' || role === 'model') && { role }), parts: said },
      author: event.author,
      timestamp: event.timestamp,
      sessionId,
      eventId: event.id,
    });
  }
  return turns;
}

function wasSaid(part: Part): boolean {
  if (typeof part.text !== 'string' || part.thought) return false;
  return !part.functionCall && !part.functionResponse && !part.executableCode && !part.codeExecutionResult;
}
