import type { Event, JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { fromAdkEvents } from '../../src/adk/adk-event.ts';
import type { AdkEventRow } from '../../src/adk/adk-event.ts';

type Row = JsonObject & { invocation?: string };

/** Converts rows with the ids `e1`, `e2` … one second apart. Default of `invocation`: `i1`. */
function eventsOf(...rows: Row[]): Event[] {
  return fromAdkEvents(
    rows.map(({ invocation = 'i1', ...data }, i): AdkEventRow => ({
      id: `e${i + 1}`,
      invocationId: invocation,
      time: 100 + i,
      data: { timestamp: 100 + i, ...data },
    })),
  );
}

const says = (author: string, invocation: string): Row => ({
  ...{ author, invocation },
  content: { role: author === 'user' ? 'user' : 'model', parts: [{ text: `${author} of ${invocation}` }] },
});
const turn = (n: number): Row[] => [says('user', `i${n}`), says('root', `i${n}`)];
/** A record of ADK for Python: an interval in seconds, with the author `user`. */
const pythonCompaction = (start: number, end: number, text: string): Row => ({
  ...{ author: 'user', invocation: `k${end}` },
  actions: {
    compaction: {
      start_timestamp: start,
      end_timestamp: end,
      compacted_content: { role: 'model', parts: [{ text: 'hm', thought: true }, { text }] },
    },
  },
});
/** A record of ADK for TypeScript: times in milliseconds, and the summary as text. */
const typescriptCompaction = (start: number, end: number, text: string, more: JsonObject = {}): Row => ({
  ...{ author: 'system', invocation: '', isCompacted: true, startTime: start * 1000, endTime: end * 1000 },
  ...{ compactedContent: text, content: { role: 'model', parts: [{ text }] }, ...more },
});
const eventIdsOf = (event: Event | undefined): string[] | undefined => event?.actions.compaction?.eventIds;

describe('fromAdkEvents', () => {
  it('translates the interval of ADK for Python into a record that names its events', () => {
    const events = eventsOf(...turn(1), ...turn(2), pythonCompaction(100, 101, 'short'), ...turn(3));
    expect(events[4]).toEqual({
      ...{ id: 'e5', seq: 5, invocationId: 'k101', author: 'system', timestamp: 104 },
      actions: {
        ...{ stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
        compaction: {
          ...{ startSeq: 1, endSeq: 2, eventIds: ['e1', 'e2'], startTimestamp: 100, endTimestamp: 101 },
          compactedContent: { role: 'model', parts: [{ text: 'short' }] },
        },
      },
    });
    expect(events.filter((_, i) => i !== 4).map(({ content }) => content?.parts?.[0]?.text)).toEqual([
      ...['user of i1', 'root of i1', 'user of i2', 'root of i2', 'user of i3', 'root of i3'],
    ]);
  });

  it('assigns each event to one record when intervals overlap', () => {
    const rows = [
      ...turn(1),
      ...turn(2),
      pythonCompaction(100, 103, 's1'),
      ...turn(3),
      pythonCompaction(102, 106, 's2'),
    ];
    const events = eventsOf(...rows);
    expect([eventIdsOf(events[4]), eventIdsOf(events[7])]).toEqual([
      ['e1', 'e2', 'e3', 'e4'],
      ['e6', 'e7'],
    ]);
  });

  it('replaces a record whose events a later one covers completely', () => {
    const events = eventsOf(...turn(1), pythonCompaction(100, 101, 's1'), ...turn(2), pythonCompaction(100, 104, 's2'));
    expect(eventIdsOf(events[5])).toEqual(['e3', 'e4', 'e5']);
    expect(events[5]!.actions.compaction).toMatchObject({ startSeq: 1, endSeq: 5 });
  });

  it('translates a summary of ADK for TypeScript, which includes all older events', () => {
    const rows = [
      ...turn(1),
      typescriptCompaction(100, 101, 's1'),
      ...turn(2),
      typescriptCompaction(102, 104, 's2', { isScratchpad: true }),
    ];
    const events = eventsOf(...rows, ...turn(3));
    expect([eventIdsOf(events[2]), eventIdsOf(events[5])]).toEqual([
      ['e1', 'e2'],
      ['e3', 'e4', 'e5'],
    ]);
    const { actions, ...rest } = events[5]!;
    expect(rest).toEqual({ id: 'e6', seq: 6, invocationId: 'e6', author: 'system', timestamp: 105 });
    expect(actions.compaction!.compactedContent).toEqual({ role: 'model', parts: [{ text: 's2' }] });
  });

  it('covers neither side of a call whose answer came after the interval', () => {
    const call: Row = { author: 'root', content: { parts: [{ function_call: { id: 'c', name: 'find', args: {} } }] } };
    const answer: Row = {
      author: 'root',
      content: { parts: [{ function_response: { id: 'c', name: 'find', response: {} } }] },
    };
    expect(eventIdsOf(eventsOf(...turn(1), call, answer, pythonCompaction(100, 102, 's'))[4])).toEqual(['e1', 'e2']);
    expect(eventIdsOf(eventsOf(...turn(1), call, answer, pythonCompaction(100, 103, 's'))[4])).toEqual([
      'e1',
      'e2',
      'e3',
      'e4',
    ]);
  });

  it('does not cover an invocation that waits for a user', () => {
    const asks: Row = {
      ...{ author: 'root', long_running_tool_ids: ['r'] },
      content: { parts: [{ function_call: { id: 'r', name: 'adk_request_confirmation', args: {} } }] },
    };
    expect(eventIdsOf(eventsOf(says('user', 'i1'), asks, ...turn(2), pythonCompaction(100, 103, 's'))[4])).toEqual([
      'e3',
      'e4',
    ]);
  });

  it('does not name events that were rewound before the record', () => {
    const rewinds: Row = { author: 'user', invocation: 'w', actions: { rewind_before_invocation_id: 'i2' } };
    const first = pythonCompaction(102, 103, 's1');
    const rows = [...turn(1), ...turn(2), first, rewinds, ...turn(3), pythonCompaction(100, 107, 's2')];
    expect(eventIdsOf(eventsOf(...rows)[8])).toEqual(['e1', 'e2', 'e7', 'e8']);
  });

  it('covers events again whose record was rewound', () => {
    const rewinds: Row = { author: 'user', invocation: 'w', actions: { rewind_before_invocation_id: 'i2' } };
    const first = pythonCompaction(100, 101, 's1');
    const rows = [...turn(1), ...turn(2), first, rewinds, ...turn(3), pythonCompaction(100, 107, 's2')];
    expect(eventIdsOf(eventsOf(...rows)[8])).toEqual(['e1', 'e2', 'e7', 'e8']);
  });

  it('keeps a summary as a message if the database does not contain its events', () => {
    const [summary] = eventsOf(typescriptCompaction(50, 90, 'all of it'), ...turn(1));
    expect(summary!.actions.compaction).toBeUndefined();
    expect([summary!.author, summary!.content]).toEqual([
      'user',
      { role: 'user', parts: [{ text: 'Summary of the earlier conversation:\nall of it' }] },
    ]);
  });

  it.each<[string, JsonObject]>([
    ['without an end', { start_timestamp: 1, compacted_content: { parts: [{ text: 's' }] } }],
    ['without text', { start_timestamp: 1, end_timestamp: 999, compacted_content: { parts: [] } }],
  ])('leaves all events in the prompt for a record %s', (_, compaction) => {
    const events = eventsOf(...turn(1), { author: 'user', actions: { compaction } });
    expect(events.map(({ actions }) => actions.compaction)).toEqual([undefined, undefined, undefined]);
  });
});
