import type { FunctionCall } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { forkOf } from '../page/state/fork-of.ts';
import { isSameData } from '../page/state/is-same-data.ts';
import { joinPartial } from '../page/state/join-partials.ts';
import { mergeEvents } from '../page/state/merge-events.ts';
import { displayNameOf, titleOf } from '../page/state/title-of.ts';
import { readSessionFile } from '../page/sessions/read-session-file.ts';
import { anEvent } from './an-event.ts';

const one = anEvent(1, { author: 'user', parts: [{ text: 'One' }], actions: { stateDelta: { a: 1, 'user:u': 1 } } });
const two = anEvent(2, { parts: [{ text: 'Two' }], actions: { stateDelta: { a: 2, b: null } } });
const three = anEvent(3, { author: 'user', parts: [{ text: 'Three' }] });

describe('mergeEvents', () => {
  it('sorts events by seq, each once, in any order of arrival', () => {
    expect(mergeEvents([one], [two, three])).toEqual([one, two, three]);
    expect(mergeEvents([one, three], [two])).toEqual([one, two, three]);
    expect(mergeEvents([one, two], [two, three])).toEqual([one, two, three]);
    expect(mergeEvents([], [three, one])).toEqual([one, three]);
    const known = [one, two];
    expect(mergeEvents(known, [])).toBe(known);
  });

  it('returns the known list for the same data, and otherwise keeps only unchanged events', () => {
    const known = [one, two];
    expect(mergeEvents(known, structuredClone(known))).toBe(known);
    const changed = { ...structuredClone(two), content: { parts: [{ text: 'Other' }] } };
    const merged = mergeEvents(known, [structuredClone(one), changed, three]);
    expect(merged).toEqual([one, changed, three]);
    expect(merged[0]).toBe(one);
  });

  it('adds empty arguments to calls without arguments, and keeps other events unchanged', () => {
    const call = anEvent(2, { parts: [{ text: 'Now.' }, { functionCall: { name: 'now' } as FunctionCall }] });
    const [first, second] = mergeEvents([], [one, call]);
    expect(first).toBe(one);
    expect(second!.content!.parts).toEqual([{ text: 'Now.' }, { functionCall: { name: 'now', args: {} } }]);
    expect(mergeEvents([one], [call])[1]).toEqual(second);
  });
});

describe('isSameData', () => {
  it('compares lists, objects and their names', () => {
    const data = { a: [1, { b: null }], c: 'x' };
    expect(isSameData(data, structuredClone(data))).toBe(true);
    const others = [
      { a: [1, { b: 0 }], c: 'x' },
      { a: [1], c: 'x' },
      { ...data, d: 1 },
      { a: data.a },
      [data],
      null,
      'x',
    ];
    for (const other of others) expect(isSameData(data, other)).toBe(false);
    expect(isSameData({ a: undefined }, { b: undefined })).toBe(false);
    expect(isSameData([], {})).toBe(false);
    expect(isSameData(Number.NaN, Number.NaN)).toBe(true);
  });
});

describe('joinPartial', () => {
  it('joins partial events, and keeps thoughts separate from the answer', () => {
    const piece = (text: string, thought?: boolean) => ({
      ...anEvent(9, { parts: [{ text, ...(thought && { thought }) }] }),
      partial: true,
    });
    const pieces = [piece('Let me ', true), piece('see.', true), piece('Room '), piece('12')];
    expect(pieces.reduce<ReturnType<typeof joinPartial>>(joinPartial, [])[0]!.content!.parts).toEqual([
      { text: 'Let me see.', thought: true },
      { text: 'Room 12' },
    ]);
  });

  it('separates partial events of agents that write at the same time', () => {
    const first = anEvent(1, { parts: [{ text: 'a' }] });
    const second = anEvent(2, { parts: [{ text: 'b' }] });
    const growing = [first, second, first, second].reduce<ReturnType<typeof joinPartial>>(joinPartial, []);
    expect(growing.map((event) => event.content!.parts![0]!.text)).toEqual(['aa', 'bb']);
  });
});

describe('forkOf', () => {
  it('copies the events and the state before a message, without the state of the user', () => {
    const fork = forkOf([one, two, three], 'event-3', { a: 3, c: 'from the beginning', 'user:u': 1, 'app:x': 1 });
    expect(fork.events.map((event) => event.content!.parts![0]!.text)).toEqual(['One', 'Two']);
    expect(fork.state).toEqual({ a: 2, c: 'from the beginning' });
    expect(forkOf([one, two, three], 'event-1', { a: 3 })).toEqual({ state: {}, events: [] });
  });

  it('copies neither rewound events nor their state', () => {
    const [invocationId, later] = ['invocation-2', 'invocation-3'];
    const removed = { ...two, invocationId };
    const marker = anEvent(3, { author: 'user', actions: { rewindBeforeInvocationId: invocationId } });
    const next = anEvent(4, { author: 'user', parts: [{ text: 'Four' }] });
    const list = [one, removed, { ...marker, invocationId: later }, { ...next, invocationId: later }];
    const fork = forkOf(list, next.id, { a: 1 });
    expect(fork.events.map((event) => event.content!.parts![0]!.text)).toEqual(['One']);
    expect(fork.state).toEqual({ a: 1 });
  });

  it('copies no data that only a run may write', () => {
    const request = anEvent(2, {
      parts: [{ functionCall: { id: 'q', name: 'adk_request_confirmation', args: {} } }, { text: 'Wait.' }],
      longRunningToolIds: ['q'],
      actions: {
        endOfAgent: true,
        agentState: {},
        requestedToolConfirmations: { q: {} },
        artifactDelta: { 'a.txt': 0 },
      },
    });
    const userAnswer = anEvent(3, {
      author: 'user',
      parts: [{ functionResponse: { id: 'q', name: 'adk_request_confirmation', response: {} } }],
    });
    const timer = anEvent(4, { parts: [{ functionCall: { id: 't', name: 'thole_timer', args: {} } }] });
    const { events } = forkOf([request, userAnswer, timer, anEvent(5, {})], 'event-5', {});
    expect(events).toHaveLength(1);
    expect(events[0]).not.toHaveProperty('seq');
    expect(events[0]).not.toHaveProperty('longRunningToolIds');
    expect(events[0]!.content!.parts).toEqual([{ text: 'Wait.' }]);
    expect(events[0]!.actions).toEqual({
      ...{ stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
    });
  });

  it('changes the id of an answer to a long-running call, which servers reject', () => {
    const functionResponse = { id: 'call-1', name: 'ticket', response: { ok: true } };
    const answer = { ...anEvent(1, { content: { role: 'user', parts: [{ functionResponse }] } }), id: 'call-1:answer' };
    const { events } = forkOf([answer, anEvent(2, {})], 'event-2', {});
    expect(events.map(({ content, id }) => [id, content?.parts])).toEqual([['call-1', [{ functionResponse }]]]);
  });
});

describe('titleOf', () => {
  it('uses the first line of the first message as the title, cut between words', () => {
    expect(titleOf({ parts: [{ text: '\n  Book  a room.\nFor two.' }] })).toBe('Book a room.');
    expect(titleOf({ parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] })).toBe('');
    const title = titleOf({ parts: [{ text: 'word '.repeat(40) }] });
    expect(title.endsWith('word…')).toBe(true);
    expect(title.length).toBeLessThanOrEqual(61);
    expect(titleOf({ parts: [{ text: '🙂'.repeat(80) }] })).toBe(`${'🙂'.repeat(60)}…`);
  });
});

describe('displayNameOf', () => {
  it('accepts only a text as the name of a session', () => {
    expect(displayNameOf({ state: { __session_metadata__: { displayName: 'Ann' } } })).toBe('Ann');
    for (const metadata of [null, 1, [], {}, { displayName: 7 }, { displayName: ' ' }]) {
      expect(displayNameOf({ state: { __session_metadata__: metadata } })).toBeUndefined();
    }
  });
});

describe('readSessionFile', () => {
  it('reads a session file, and throws the problem of other files', () => {
    const file = {
      state: { a: 1, 'user:b': 2 },
      events: [{ author: 'user', content: { role: 'user', parts: [{ text: 'Hi' }] } }],
    };
    const read = readSessionFile(JSON.stringify(file));
    expect(read.state).toEqual({ a: 1 });
    expect(read.events[0]).toMatchObject({ author: 'user', actions: { stateDelta: {}, artifactDelta: {} } });
    expect(() => readSessionFile('{')).toThrow('The file is not JSON.');
    expect(() => readSessionFile('[]')).toThrow('The file has no list of events.');
    expect(() => readSessionFile('{"events":[{}]}')).toThrow('Event 1 of the file has no author.');
    for (const content of [5, { parts: 'text' }, { parts: [null] }]) {
      const unreadable = JSON.stringify({ events: [...file.events, { author: 'user', content }] });
      expect(() => readSessionFile(unreadable)).toThrow('Event 2 of the file has no readable content.');
    }
    for (const content of [null, {}, { parts: null }])
      expect(readSessionFile(JSON.stringify({ events: [{ author: 'user', content }] })).events).toHaveLength(1);
  });
});
