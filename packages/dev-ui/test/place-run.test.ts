import { describe, expect, it } from 'vitest';
import { toEntries } from '../page/conversation/entries.ts';
import { placeRun } from '../page/conversation/place-run.ts';
import { anEvent } from './an-event.ts';

const content = { role: 'user' as const, parts: [{ text: 'A room?' }] };
const sent = [{ content, afterSeq: 2, timestamp: 1_700_000_002 }];
const before = [
  anEvent(1, { author: 'user', parts: [{ text: 'Hello.' }] }),
  anEvent(2, { parts: [{ text: 'Good evening.' }] }),
];
const next = { invocationId: 'invocation-2' };
const question = anEvent(3, { ...next, author: 'user', parts: [{ text: 'A room?' }] });
const call = anEvent(4, { ...next, parts: [{ functionCall: { id: 'c', name: 'look', args: {} } }] });
const growing = anEvent(5, { ...next, parts: [{ text: 'Room 12' }] });

function rowsOf(events: typeof before, run: Partial<Parameters<typeof placeRun>[1]>): string[] {
  const rows = placeRun(toEntries(events), { events, sent: [], streaming: [], unfinished: [], ...run });
  return rows.map(({ event, status }) => {
    const name = status === 'sending' ? event.content?.parts?.[0]?.text : event.id;
    return status === undefined ? event.id : `${name} ${status}`;
  });
}

describe('placeRun', () => {
  it('places the message above its answer at every step of a run', () => {
    const streaming = [growing];
    expect(rowsOf(before, { sent })).toEqual(['event-1', 'event-2', 'A room? sending']);
    expect(rowsOf(before, { sent, streaming }).slice(2)).toEqual(['A room? sending', 'event-5 writing']);
    expect(rowsOf([...before, call], { sent, streaming }).slice(2)).toEqual([
      'A room? sending',
      'event-4',
      'event-5 writing',
    ]);
    expect(rowsOf([...before, question, call], { sent, streaming }).slice(2)).toEqual([
      'event-3',
      'event-4',
      'event-5 writing',
    ]);
    expect(rowsOf([...before, question, call, growing], { sent, streaming }).slice(2)).toEqual([
      'event-3',
      'event-4',
      'event-5',
    ]);
  });

  it('keeps the message of a run before whose event is not known yet', () => {
    const first = {
      content: { role: 'user' as const, parts: [{ text: 'Hello.' }] },
      afterSeq: 0,
      timestamp: 1_700_000_000,
    };
    const both = { sent: [first, ...sent] };
    expect(rowsOf(before.slice(1), both)).toEqual(['Hello. sending', 'event-2', 'A room? sending']);
    const rows = placeRun([], { ...both, events: [], streaming: [], unfinished: [] });
    expect(new Set(rows.map(({ event }) => event.id)).size).toBe(2);
    expect(rowsOf(before, both)).toEqual(['event-1', 'event-2', 'A room? sending']);
    expect(rowsOf([...before, question], both)).toEqual(['event-1', 'event-2', 'event-3']);
  });

  it('places an unfinished answer above the record of the stop', () => {
    const stop = anEvent(6, { ...next, author: 'system', errorCode: 'RUN_ABORTED' });
    const later = anEvent(7, { invocationId: 'invocation-3', author: 'user', parts: [{ text: 'Well?' }] });
    expect(rowsOf([...before, question, stop, later], { unfinished: [growing] }).slice(2)).toEqual([
      'event-3',
      'event-5 unfinished',
      'event-6',
      'event-7',
    ]);
  });
});
