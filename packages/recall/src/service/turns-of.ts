import { turnId, withoutQuotedMemory } from '@thole/core/kit';
import type { Event, MemoryEntry, Part } from '@thole/core';

/**
 * What user and agents said, as entries: one for each whole event with text. Left out are thoughts, calls and their answers,
 * code, files, partials, summaries, and memory that was quoted in a prompt. They are frozen deeply: nothing of the events is in
 * them but texts and names.
 */
export function turnsOf(sessionId: string, events: readonly Event[]): MemoryEntry[] {
  const turns: MemoryEntry[] = [];
  for (const event of events) {
    if (event.partial || event.actions?.compaction) continue;
    const said = textsOf(event);
    if (said.every(({ text }) => text!.trim() === '')) continue;
    const role = event.content?.role;
    const content = role === 'user' || role === 'model' ? { role, parts: said } : { parts: said };
    turns.push(
      Object.freeze({
        id: turnId(sessionId, event.id),
        kind: 'turn' as const,
        content: Object.freeze(content),
        author: event.author,
        timestamp: event.timestamp,
        sessionId,
        eventId: event.id,
      }),
    );
  }
  return turns;
}

function textsOf({ content }: Event): Part[] {
  const said: Part[] = [];
  for (const part of content?.parts ?? []) {
    const text = wasSaid(part) ? withoutQuotedMemory(part.text!) : '';
    if (text !== '') said.push(Object.freeze({ text }));
  }
  return Object.freeze(said) as Part[];
}

function wasSaid(part: Part): boolean {
  if (typeof part.text !== 'string' || part.thought) return false;
  return !part.functionCall && !part.functionResponse && !part.executableCode && !part.codeExecutionResult;
}
