import { textOf } from '@thole/core';
import type { Content, Event, EventCompaction, EventInit, JsonObject, Summary } from '@thole/core';
import type { CompactionWindow } from './plan-compaction.ts';

/** One summary of a compaction: the events of one branch that it replaces. */
export interface CompactionResult {
  branch?: string | undefined;
  /** Ids of the events that are newly covered. */
  eventIds: string[];
  /** Ids of the earlier records that the new record replaces. */
  replacedRecords: string[];
  startSeq: number;
  endSeq: number;
  /** The stored record. Undefined for a dry run, and if a plugin dropped it. */
  event?: Event | undefined;
}

/** Returns the ids and the range of a new record. */
export function compactionResult({ branch, events, replaces }: CompactionWindow): CompactionResult {
  const seqs = [
    ...events.map(({ seq }) => seq!),
    ...replaces.flatMap(({ record }) => [record.startSeq, record.endSeq]),
  ].toSorted((a, b) => a - b);
  return {
    ...(branch !== undefined && { branch }),
    eventIds: events.map(({ id }) => id),
    replacedRecords: replaces.map(({ event }) => event.id),
    startSeq: seqs[0]!,
    endSeq: seqs.at(-1)!,
  };
}

/** Returns the event that records a summary of this window. */
export function compactionRecord(window: CompactionWindow, result: CompactionResult, summary: Summary): EventInit {
  const { startSeq, endSeq, eventIds, replacedRecords } = result;
  const times = [
    ...window.events.map(({ timestamp }) => timestamp),
    ...window.replaces.flatMap(({ record }) => [record.startTimestamp ?? [], record.endTimestamp ?? []].flat()),
  ].toSorted((a, b) => a - b);
  const compaction: EventCompaction = {
    startSeq,
    endSeq,
    eventIds: [...replacedRecords, ...eventIds],
    compactedContent: withoutThoughts(summary.content),
    startTimestamp: times[0],
    endTimestamp: times.at(-1),
  };
  const { usageMetadata } = summary;
  return {
    author: 'system',
    actions: { compaction },
    ...(window.branch !== undefined && { branch: window.branch }),
    ...(usageMetadata && { usageMetadata }),
  };
}

function withoutThoughts(content: Content): JsonObject {
  return { role: 'model', parts: [{ text: textOf(content) }] };
}
