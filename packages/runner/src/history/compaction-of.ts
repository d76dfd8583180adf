import type { Event, EventCompaction } from '@thole/core';

/**
 * Returns the compaction record of this event. Only valid records of the runtime are returned: author `system`, no content,
 * at least one event id and a summary with text. Undefined for a record by an agent, a tool or a client.
 */
export function compactionOf(event: Event): EventCompaction | undefined {
  const record = event.actions.compaction;
  if (record === undefined || event.author !== 'system' || event.content !== undefined) return undefined;
  return isValid(record) ? record : undefined;
}

/** Returns the text of a summary. Empty if there is no text. */
export function summaryOf(record: EventCompaction): string {
  const { parts } = record.compactedContent;
  if (!Array.isArray(parts)) return '';
  const texts: string[] = [];
  for (const part of parts) {
    if (typeof part !== 'object' || part === null || Array.isArray(part) || part.thought === true) continue;
    if (typeof part.text === 'string') texts.push(part.text);
  }
  return texts.join('');
}

function isValid(record: EventCompaction): boolean {
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(record) || !isObject(record.compactedContent)) return false;
  if (!Number.isInteger(record.startSeq) || !Number.isInteger(record.endSeq) || record.startSeq > record.endSeq)
    return false;
  if (!Array.isArray(record.eventIds) || record.eventIds.length === 0) return false;
  return summaryOf(record).trim() !== '';
}
