import type { Event, EventCompaction } from '@thole/core';

/**
 * Returns the compaction record of this event. Only records of the runtime count: author `system`, no content, ids
 * to hide and a summary with text. Undefined for a record by an agent, a tool or a client.
 */
export function compactionOf(event: Event): EventCompaction | undefined {
  const record = event.actions.compaction;
  if (record === undefined || event.author !== 'system' || event.content !== undefined) return undefined;
  return isWhole(record) ? record : undefined;
}

/** Returns the text of a summary; empty if there is none. */
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

function isWhole(record: EventCompaction): boolean {
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(record) || !isObject(record.compactedContent)) return false;
  if (!Number.isInteger(record.startSeq) || !Number.isInteger(record.endSeq) || record.startSeq > record.endSeq)
    return false;
  if (!Array.isArray(record.eventIds) || record.eventIds.length === 0) return false;
  return summaryOf(record).trim() !== '';
}
