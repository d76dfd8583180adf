import { getFunctionCalls, getFunctionResponses, pendingInterrupts } from '@thole/core';
import { applyRewinds, isPlainObject } from '@thole/core/kit';
import type { Event, EventCompaction, Json } from '@thole/core';

/** A summary of ADK. It replaces the events of an interval of time. */
export interface AdkCompaction {
  /** Seconds. `-Infinity` in ADK for TypeScript, where a summary includes all older events. */
  readonly start: number;
  /** Seconds. */
  readonly end: number;
  readonly text: string;
}

/** Maximum difference of equal times in seconds. Databases store times in microseconds. */
const TIME_TOLERANCE = 2e-6;

/** A translated record, and the ids of all events that it covers. */
interface TranslatedRecord {
  readonly id: string;
  readonly compaction: EventCompaction;
  readonly covered: ReadonlySet<string>;
}

/**
 * Returns the events with ADK's compactions as records of the runtime, which name the events that they cover. As in the
 * runner, a record covers neither events of an invocation with an open interrupt nor one side of a call without the other,
 * and each event belongs to one record. `compactions` has the summaries by event id. A summary of events that the database
 * does not contain stays as a message.
 */
export function translateCompactions(
  events: readonly Event[],
  compactions: ReadonlyMap<string, AdkCompaction>,
): Event[] {
  if (compactions.size === 0) return [...events];
  const openInvocations = new Set(pendingInterrupts(events).map(({ invocationId }) => invocationId));
  const records: TranslatedRecord[] = [];
  return events.map((event, index) => {
    const compaction = compactions.get(event.id);
    if (!compaction) return event;
    const earlier = events.slice(0, index);
    if (!earlier.some((each) => !compactions.has(each.id) && isWithin(each, compaction)))
      return toMessage(event, compaction);
    const remaining = applyRewinds(earlier);
    const remainingIds = new Set(remaining.map(({ id }) => id));
    const record = translate(event, compaction, {
      events,
      visible: remaining.filter((each) => !compactions.has(each.id) && !openInvocations.has(each.invocationId)),
      records: records.filter(({ id }) => remainingIds.has(id)),
    });
    if (record) records.push(record);
    return toRecord(event, record);
  });
}

function translate(
  { id }: Event,
  summary: AdkCompaction,
  p: { events: readonly Event[]; visible: readonly Event[]; records: readonly TranslatedRecord[] },
): TranslatedRecord | undefined {
  const inInterval = p.visible.filter((event) => isWithin(event, summary));
  const complete = withoutSplitCalls(p.events, inInterval);
  const ids = new Set(complete.map((event) => event.id));
  const active = p.records.filter(
    (record) => !p.records.some((later) => later.compaction.eventIds.includes(record.id)),
  );
  const replaced = active.filter(({ covered }) => [...covered].every((each) => ids.has(each)));
  const alreadyCovered = new Set(active.flatMap(({ covered }) => [...covered]));
  const added = complete.filter((event) => !alreadyCovered.has(event.id));
  if (added.length === 0 && replaced.length === 0) return undefined;
  const covered = new Set([...added.map((event) => event.id), ...replaced.flatMap((record) => [...record.covered])]);
  const coveredEvents = p.events.filter((event) => covered.has(event.id));
  const compaction: EventCompaction = {
    startSeq: coveredEvents[0]!.seq!,
    endSeq: coveredEvents.at(-1)!.seq!,
    eventIds: [...replaced.map((record) => record.id), ...added.map((event) => event.id)],
    compactedContent: { role: 'model', parts: [{ text: summary.text }] },
    startTimestamp: coveredEvents[0]!.timestamp,
    endTimestamp: coveredEvents.at(-1)!.timestamp,
  };
  return { id, compaction, covered };
}

const isWithin = ({ timestamp }: Event, { start, end }: AdkCompaction): boolean =>
  timestamp >= start - TIME_TOLERANCE && timestamp <= end + TIME_TOLERANCE;

/** Removes the events of each call whose call or answer is not among the candidates. */
function withoutSplitCalls(events: readonly Event[], candidates: readonly Event[]): readonly Event[] {
  const sides = new Map<string, Event[]>();
  for (const event of events) {
    for (const id of callIdsOf(event)) sides.set(id, [...(sides.get(id) ?? []), event]);
  }
  let remaining = new Set(candidates);
  for (;;) {
    const complete = [...remaining].filter((event) =>
      callIdsOf(event).every((id) => sides.get(id)!.every((side) => remaining.has(side))),
    );
    if (complete.length === remaining.size) return complete;
    remaining = new Set(complete);
  }
}

const callIdsOf = (event: Event): string[] =>
  [...getFunctionCalls(event), ...getFunctionResponses(event)].flatMap(({ id }) => id ?? []);

function toRecord(event: Event, record: TranslatedRecord | undefined): Event {
  const { content: _, ...rest } = event;
  if (!record) return rest;
  return { ...rest, author: 'system', actions: { ...event.actions, compaction: record.compaction } };
}

function toMessage(event: Event, { text }: AdkCompaction): Event {
  const content = { role: 'user' as const, parts: [{ text: `Summary of the earlier conversation:\n${text}` }] };
  return { ...event, author: 'user', content };
}

/** Returns the text of a summary in ADK's format: a text, or a content. Empty if there is none. */
export function textOfSummary(content: Json | undefined): string {
  if (typeof content === 'string') return content.trim();
  const parts = isPlainObject(content) && Array.isArray(content['parts']) ? (content['parts'] as Json[]) : [];
  const texts = parts.flatMap((part) =>
    isPlainObject(part) && part['thought'] !== true && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return texts.join('').trim();
}
