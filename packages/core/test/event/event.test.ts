import {
  createEvent,
  createEventActions,
  getFunctionCalls,
  getFunctionResponses,
  isFinalResponse,
  systemRuntime,
  textOf,
} from '@thole/core';
import type { Event, EventActions, Part, Runtime } from '@thole/core';
import { actionMapNames } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

const event = (parts: Part[], more: Partial<Event> = {}, actions: Partial<EventActions> = {}): Event =>
  createEvent({ author: 'a', content: { role: 'model', parts }, ...more, actions });
const call = { functionCall: { name: 'f', args: {} } };
const response = { functionResponse: { name: 'f', response: {} } };
const result = { codeExecutionResult: { output: '1' } };
const maps = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };

describe('createEvent', () => {
  const runtime: Runtime = { ...systemRuntime(), now: () => 12.5, newId: (kind) => `${kind}-x` };

  it('adds id, invocation, time and the four maps (contract 15)', () => {
    expect(createEvent({ author: 'a' }, runtime)).toEqual({
      author: 'a',
      id: 'event-x',
      invocationId: 'invocation-x',
      timestamp: 12.5,
      actions: maps,
    });
  });

  it('keeps members that are set, also a time of 0', () => {
    const given = {
      author: 'a',
      id: 'e',
      invocationId: 'i',
      timestamp: 0,
      branch: 'b',
      actions: { escalate: true, stateDelta: { a: 1 } },
    };
    expect(createEvent(given, runtime)).toEqual({
      ...given,
      actions: { ...maps, escalate: true, stateDelta: { a: 1 } },
    });
  });

  it('treats undefined members as missing (contract 41)', () => {
    const given = { author: 'a', id: undefined, timestamp: undefined, actions: { stateDelta: undefined } };
    expect(createEvent(given, runtime)).toMatchObject({ id: 'event-x', timestamp: 12.5, actions: maps });
    expect(createEventActions({ artifactDelta: undefined, escalate: true })).toEqual({ ...maps, escalate: true });
  });

  it('creates separate maps and different ids for each event', () => {
    const [one, other] = [createEvent({ author: 'a' }), createEvent({ author: 'a' })];
    one.actions.stateDelta['a'] = 1;
    expect([other.actions.stateDelta, one.id === other.id]).toEqual([{}, false]);
    expect(createEventActions()).toEqual(maps);
  });
});

describe('actionMapNames', () => {
  it('names every map that createEventActions adds', () => {
    expect(actionMapNames).toEqual(Object.keys(createEventActions()));
  });
});

describe('isFinalResponse', () => {
  it.each<[name: string, event: Event, final: boolean]>([
    ['a text', event([{ text: 'a' }]), true],
    ['an empty content', event([]), true],
    ['an event without content', createEvent({ author: 'a' }), true],
    ['a partial event', event([{ text: 'a' }], { partial: true }), false],
    ['a call', event([{ text: 'a' }, call]), false],
    ['an answer', event([response]), false],
    ['an answer with skipSummarization', event([response], {}, { skipSummarization: true }), true],
    ['a call that is answered later', event([call], { longRunningToolIds: ['c1'] }), true],
    ['a call with an empty longRunningToolIds', event([call], { longRunningToolIds: [] }), false],
    ['a trailing code result', event([{ text: 'a' }, result]), false],
    ['a code result with a text after it', event([result, { text: 'a' }]), true],
  ])('returns if %s is final', (_, given, final) => {
    expect(isFinalResponse(given)).toBe(final);
  });
});

describe('getFunctionCalls and getFunctionResponses', () => {
  it('return calls and answers in order', () => {
    const both = event([call, { text: 'a' }, response, { functionCall: { id: '2', name: 'g', args: {} } }]);
    expect(getFunctionCalls(both).map((found) => found.name)).toEqual(['f', 'g']);
    expect(getFunctionResponses(both).map((found) => found.name)).toEqual(['f']);
    expect([getFunctionCalls({}), getFunctionResponses({})]).toEqual([[], []]);
  });
});

describe('textOf', () => {
  it('leaves out thoughts', () => {
    expect(textOf({ parts: [{ text: 'a' }, { text: 'hm', thought: true }, call, { text: '' }, { text: 'b' }] })).toBe(
      'ab',
    );
    expect([textOf(undefined), textOf({})]).toEqual(['', '']);
  });
});
