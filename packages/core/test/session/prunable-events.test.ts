import { createEvent } from '@thole/core';
import { countPrunableEvents, foldStateDeltas, noMarks } from '@thole/core/kit';
import type { Event } from '@thole/core';
import { describe, expect, it } from 'vitest';

type EventParts = Parameters<typeof createEvent>[0];

const says = (invocationId: string, more: Partial<EventParts> = {}): Event =>
  createEvent({ invocationId, author: 'agent', content: { role: 'model', parts: [{ text: 'x' }] }, ...more });
const calls = (invocationId: string, id: string, more: Partial<EventParts> = {}): Event =>
  says(invocationId, {
    content: { role: 'model', parts: [{ functionCall: { id, name: 'tool', args: {} } }] },
    ...more,
  });
const answers = (invocationId: string, id: string, more: Partial<EventParts> = {}): Event => {
  const parts = [{ functionResponse: { id, name: 'tool', response: { ok: true } } }];
  return says(invocationId, { content: { role: 'user', parts }, ...more });
};
const rewindTo = (invocationId: string): Event =>
  createEvent({ invocationId: 'r', author: 'user', actions: { rewindBeforeInvocationId: invocationId } });
const ends = (invocationId: string, errorCode: string): Event =>
  createEvent({ invocationId, author: 'system', errorCode });

const waiting = { ...noMarks, openInterrupts: 1 };
const prunable = (events: readonly Event[], marks = waiting, count = events.length): number =>
  countPrunableEvents(events, { count, marks });

describe('countPrunableEvents', () => {
  it('keeps the events from the first one of an invocation with an open call', () => {
    const events = [says('a'), says('b'), calls('b', 'c1'), says('c'), calls('c', 'c2'), answers('c', 'c2')];
    expect(prunable(events)).toBe(1);
    expect(prunable([...events, answers('b', 'c1')])).toBe(7);
    expect(prunable(events, waiting, 0)).toBe(0);
  });

  it('keeps the events of the unfinished invocation', () => {
    expect(prunable([says('a'), says('b'), says('c')], { ...noMarks, unfinished: 'b' })).toBe(1);
    expect(prunable([says('a')], { ...noMarks, unfinished: 'none' })).toBe(1);
  });

  it('keeps a call that has a provisional response only', () => {
    const longRunning = calls('b', 'c1', { longRunningToolIds: ['c1'] });
    expect(prunable([says('a'), longRunning, answers('b', 'c1')])).toBe(1);
    expect(prunable([says('a'), longRunning, answers('b', 'c1'), answers('b', 'c1', { author: 'user' })])).toBe(4);
    const requested = { requestedToolConfirmations: { c1: { hint: '', confirmed: false } } };
    expect(prunable([says('a'), calls('b', 'c1'), answers('b', 'c1', { actions: requested as never })])).toBe(1);
  });

  it('prunes the calls of an ended invocation and of a session without marks', () => {
    const events = [says('a'), calls('a', 'c1')];
    expect(prunable([...events, ends('a', 'RUN_ABORTED')])).toBe(3);
    expect(prunable([...events, ends('a', 'MODEL_UNAVAILABLE')])).toBe(0);
    expect(prunable([...events, ends('b', 'RUN_ABORTED')])).toBe(0);
    expect(prunable(events, noMarks)).toBe(2);
  });

  it('deletes the marker of a rewind together with the events that it removes', () => {
    const events = [says('a'), says('b'), says('c'), rewindTo('b'), says('d')];
    expect([1, 2, 3, 4, 5].map((count) => prunable(events, noMarks, count))).toEqual([1, 1, 1, 4, 5]);
    const nested = [says('a'), says('b'), rewindTo('a'), says('c'), rewindTo('b'), says('d')];
    expect([1, 2, 3, 4, 5].map((count) => prunable(nested, noMarks, count))).toEqual([0, 0, 0, 0, 5]);
  });

  it('does not keep a call that was rewound', () => {
    expect(prunable([says('a'), calls('b', 'c1'), rewindTo('b'), says('c')])).toBe(4);
  });
});

describe('foldStateDeltas', () => {
  it("returns the last value of each of the session's own keys, null for deleted ones", () => {
    const delta = (stateDelta: object): Event => createEvent({ author: 'a', actions: { stateDelta } as never });
    const proto = JSON.parse('{"__proto__": 1}') as object;
    const folded = foldStateDeltas([
      delta({ a: 1, b: 1, 'user:c': 1, 'app:d': 1 }),
      delta({ a: 2, b: null }),
      delta(proto),
    ]);
    expect(JSON.stringify(folded)).toBe('{"a":2,"b":null,"__proto__":1}');
  });
});
