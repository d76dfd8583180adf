import { getFunctionCalls, getFunctionResponses, pendingInterrupts } from '@thole/core';
import { applyRewinds, isPlainObject } from '@thole/core/kit';
import type { Event, EventCompaction, Json } from '@thole/core';

/** A summary of ADK. It replaces the events of an interval of time. */
export interface AdkCompaction {
  /** Seconds. `-Infinity` in ADK for TypeScript, where a summary includes all that is older. */
  readonly start: number;
  /** Seconds. */
  readonly end: number;
  readonly text: string;
}

/** Times that differ by less are equal, in seconds. Databases store times in microseconds. */
const SAME_TIME = 2e-6;

/** A record that is translated, and the ids of all events that it covers. */
interface Translated {
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
  const open = new Set(pendingInterrupts(events).map(({ invocationId }) => invocationId));
  const records: Translated[] = [];
  return events.map((event, index) => {
    const compaction = compactions.get(event.id);
    if (!compaction) return event;
    const before = events.slice(0, index);
    if (!before.some((each) => !compactions.has(each.id) && isWithin(each, compaction)))
      return asMessage(event, compaction);
    const shown = applyRewinds(before);
    const isShown = new Set(shown.map(({ id }) => id));
    const record = translate(event, compaction, {
      events,
      visible: shown.filter((each) => !compactions.has(each.id) && !open.has(each.invocationId)),
      records: records.filter(({ id }) => isShown.has(id)),
    });
    if (record) records.push(record);
    return asRecord(event, record);
  });
}

function translate(
  { id }: Event,
  summary: AdkCompaction,
  p: { events: readonly Event[]; visible: readonly Event[]; records: readonly Translated[] },
): Translated | undefined {
  const inTime = p.visible.filter((event) => isWithin(event, summary));
  const whole = withoutSplitCalls(p.events, inTime);
  const ids = new Set(whole.map((event) => event.id));
  const active = p.records.filter(
    (record) => !p.records.some((later) => later.compaction.eventIds.includes(record.id)),
  );
  const replaced = active.filter(({ covered }) => [...covered].every((each) => ids.has(each)));
  const taken = new Set(active.flatMap(({ covered }) => [...covered]));
  const fresh = whole.filter((event) => !taken.has(event.id));
  if (fresh.length === 0 && replaced.length === 0) return undefined;
  const covered = new Set([...fresh.map((event) => event.id), ...replaced.flatMap((record) => [...record.covered])]);
  const all = p.events.filter((event) => covered.has(event.id));
  const compaction: EventCompaction = {
    startSeq: all[0]!.seq!,
    endSeq: all.at(-1)!.seq!,
    eventIds: [...replaced.map((record) => record.id), ...fresh.map((event) => event.id)],
    compactedContent: { role: 'model', parts: [{ text: summary.text }] },
    startTimestamp: all[0]!.timestamp,
    endTimestamp: all.at(-1)!.timestamp,
  };
  return { id, compaction, covered };
}

const isWithin = ({ timestamp }: Event, { start, end }: AdkCompaction): boolean =>
  timestamp >= start - SAME_TIME && timestamp <= end + SAME_TIME;

/** Removes both sides of each call that is not covered completely. */
function withoutSplitCalls(events: readonly Event[], candidates: readonly Event[]): readonly Event[] {
  const sides = new Map<string, Event[]>();
  for (const event of events) {
    for (const id of callIdsOf(event)) sides.set(id, [...(sides.get(id) ?? []), event]);
  }
  let left = new Set(candidates);
  for (;;) {
    const whole = [...left].filter((event) =>
      callIdsOf(event).every((id) => sides.get(id)!.every((side) => left.has(side))),
    );
    if (whole.length === left.size) return whole;
    left = new Set(whole);
  }
}

const callIdsOf = (event: Event): string[] =>
  [...getFunctionCalls(event), ...getFunctionResponses(event)].flatMap(({ id }) => id ?? []);

function asRecord(event: Event, record: Translated | undefined): Event {
  const { content: _, ...rest } = event;
  if (!record) return rest;
  return { ...rest, author: 'system', actions: { ...event.actions, compaction: record.compaction } };
}

function asMessage(event: Event, { text }: AdkCompaction): Event {
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
