import { getFunctionResponses } from '@thole/core';
import { applyRewinds, turnId, withoutQuotedMemory } from '@thole/core/kit';
import type { Content, Event, MemoryEntry, Part } from '@thole/core';

/**
 * Returns the texts of user and agents as deeply frozen entries, one for each event with text. Rewound events, partial events
 * and summaries are left out; so are thoughts, function calls and responses, code, files, and memory that was quoted in a prompt.
 */
export function turnsOf(sessionId: string, events: readonly Event[]): MemoryEntry[] {
  const turns: MemoryEntry[] = [];
  for (const event of applyRewinds(events)) {
    if (event.partial || event.actions?.compaction) continue;
    const parts = textPartsOf(event);
    if (parts.every(({ text }) => text!.trim() === '')) continue;
    const role = roleOf(event);
    const content: Content = role === 'user' || role === 'model' ? { role, parts } : { parts };
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

/** Returns the role of the speaker. Answers of tools have the role `user`, but their texts are of the agent. */
function roleOf(event: Event): Content['role'] {
  return event.author !== 'user' && getFunctionResponses(event).length > 0 ? 'model' : event.content?.role;
}

function textPartsOf({ content }: Event): Part[] {
  const texts: Part[] = [];
  for (const part of content?.parts ?? []) {
    const text = isSpokenText(part) ? withoutQuotedMemory(part.text!) : '';
    if (text !== '') texts.push(Object.freeze({ text }));
  }
  return Object.freeze(texts) as Part[];
}

function isSpokenText(part: Part): boolean {
  if (typeof part.text !== 'string' || part.thought) return false;
  return !part.functionCall && !part.functionResponse && !part.executableCode && !part.codeExecutionResult;
}
