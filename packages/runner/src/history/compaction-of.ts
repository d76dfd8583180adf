import type { Event, EventCompaction } from '@thole/core';

/**
 * The compaction record of this event. Honoured only where the runtime made it: the author is `system`, there is no
 * content, and the record is whole (ids to hide, a summary with text). Anything else an agent, a tool or a client wrote.
 */
export function compactionOf(event: Event): EventCompaction | undefined {
  const record = event.actions.compaction;
  if (record === undefined || event.author !== 'system' || event.content !== undefined) return undefined;
  return isWhole(record) ? record : undefined;
}

/** The text of a summary; empty where there is none. */
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
