import type { EventInit } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { buildContents } from '../../src/contents/build-contents.ts';
import type { ContentsRequest } from '../../src/contents/contents-request.ts';
import {
  agent,
  answer,
  answerPart,
  contentsRequest,
  call,
  callAll,
  historyOf,
  lines,
  longRunning,
  rewind,
  user,
} from './history-of.ts';

const contents = (events: EventInit[], request: Partial<ContentsRequest> = {}): string[] =>
  lines(buildContents(historyOf(...events), contentsRequest(request)));
const note = 'user: The answer to the earlier call of tool_c1 has come; it follows that call.';

describe('pairAnswers', () => {
  it('puts the answers of a turn into one content, in call order (contract 18)', () => {
    const events = historyOf(
      callAll('a', ['c1', 'c2', 'c3']),
      answer('a', 'c3', 3),
      answer('a', 'c1', 1),
      answer('a', 'c2', 2),
    );
    const built = buildContents(events, contentsRequest());
    expect(built.map(({ role, parts }) => [role, parts?.length])).toEqual([
      ['model', 3],
      ['user', 3],
    ]);
    expect(lines(built).slice(3)).toEqual(['user: answer c1 1', 'user: answer c2 2', 'user: answer c3 3']);
  });

  it('puts an answer directly after its call, before events between them (contract 17)', () => {
    const events = [
      call('a', 'c1', longRunning('c1')),
      answer('a', 'c1', 'asked'),
      agent('a', 'I have asked.'),
      answer('user', 'c1', 'granted'),
      agent('a', 'Granted!'),
    ];
    expect(contents(events)).toEqual([
      'model: call c1',
      'user: answer c1 granted',
      'model: I have asked.',
      note,
      'model: Granted!',
    ]);
  });

  it('ends with a note if the latest event is the answer to an earlier call (contract 17)', () => {
    const events = [
      call('a', 'c1', longRunning('c1')),
      answer('a', 'c1', 'asked'),
      agent('a', 'I have asked.'),
      answer('user', 'c1', 'granted'),
    ];
    expect(contents(events).at(-1)).toBe(note);
  });

  it('adds no note if the message with the answer has a text', () => {
    const reply = {
      author: 'user',
      content: { role: 'user' as const, parts: [answerPart('c1', 'granted'), { text: 'Hurry.' }] },
    };
    expect(contents([call('a', 'c1', longRunning('c1')), agent('a', 'I have asked.'), reply])).toEqual([
      'model: call c1',
      'user: answer c1 granted',
      'model: I have asked.',
      'user: Hurry.',
    ]);
  });

  it('uses the last of several answers to a call', () => {
    expect(
      contents([
        call('a', 'c1', longRunning('c1')),
        answer('a', 'c1', 'asked'),
        answer('a', 'c1', 'half'),
        answer('user', 'c1', 'done'),
      ]),
    ).toEqual(['model: call c1', 'user: answer c1 done']);
  });

  it('answers "outcome unknown" for a call of an earlier invocation (contract 28)', () => {
    const events = [
      user('go'),
      callAll('a', ['c1', 'c2']),
      answer('a', 'c2', 2),
      user('hello?', { invocationId: 'i2' }),
    ];
    expect(contents(events, { invocationId: 'i2' })).toEqual([
      'user: go',
      'model: call c1',
      'model: call c2',
      'user: answer c1 outcome unknown',
      'user: answer c2 2',
      'user: hello?',
    ]);
  });

  it('answers "outcome unknown" in the first request of another invocation', () => {
    expect(contents([call('a', 'c1')], { invocationId: 'i2' })).toEqual([
      'model: call c1',
      'user: answer c1 outcome unknown',
    ]);
  });

  it('answers "pending" for a call of the current invocation', () => {
    expect(contents([call('a', 'c1')])).toEqual(['model: call c1', 'user: answer c1 pending']);
  });

  it('answers "pending" for a long-running call, also in later invocations (contract 28)', () => {
    const events = [
      call('a', 'c1', longRunning('c1')),
      user('hello?', { invocationId: 'i2' }),
      user('hello??', { invocationId: 'i3' }),
    ];
    expect(contents(events, { invocationId: 'i3' }).slice(0, 2)).toEqual(['model: call c1', 'user: answer c1 pending']);
  });

  it('keeps the provisional answer of a long-running call', () => {
    const events = [
      call('a', 'c1', longRunning('c1')),
      answer('a', 'c1', 'asked'),
      user('hello?', { invocationId: 'i2' }),
    ];
    expect(contents(events, { invocationId: 'i2' })).toEqual([
      'model: call c1',
      'user: answer c1 asked',
      'user: hello?',
    ]);
  });

  it('removes and reports answers without a call and keeps other parts (contract 17)', () => {
    const logs: [string, unknown][] = [];
    const both = { author: 'user', content: { role: 'user' as const, parts: [answerPart('c9', 9), { text: 'hi' }] } };
    const events = [answer('a', 'c1', 1), call('a', 'c1'), answer('a', 'c1', 2), both];
    expect(contents(events, { log: (message, fields) => logs.push([message, fields]) })).toEqual([
      'model: call c1',
      'user: answer c1 2',
      'user: hi',
    ]);
    expect(logs.map(([, fields]) => fields)).toEqual([
      { eventId: 'e1', callId: 'c1', tool: 'tool_c1' },
      { eventId: 'e4', callId: 'c9', tool: 'tool_c9' },
    ]);
  });

  it('removes the answer to a call that was rewound (contract 27)', () => {
    const events = [
      user('go'),
      call('a', 'c1', { invocationId: 'i2' }),
      { ...rewind('i2'), invocationId: 'i3' },
      answer('user', 'c1', 1, { invocationId: 'i4' }),
    ];
    expect(contents(events, { invocationId: 'i4' })).toEqual(['user: go']);
  });

  it('pairs an answer with the nearest call if its id is used twice', () => {
    const events = [call('a', 'c1'), answer('a', 'c1', 1), call('a', 'c1'), answer('a', 'c1', 2)];
    expect(contents(events)).toEqual(['model: call c1', 'user: answer c1 1', 'model: call c1', 'user: answer c1 2']);
  });

  it('pairs calls without ids by name and order', () => {
    const nameless = { functionCall: { name: 'look', args: {} } };
    const reply = (n: number): EventInit => ({
      author: 'a',
      content: { role: 'user', parts: [{ functionResponse: { name: 'look', response: { result: n } } }] },
    });
    const events = [
      { author: 'a', content: { role: 'model' as const, parts: [nameless, nameless] } },
      reply(1),
      reply(2),
    ];
    expect(contents(events).slice(2)).toEqual(['user: answer look 1', 'user: answer look 2']);
  });

  it('returns frozen contents that share the stored parts (contract 9)', () => {
    const events = historyOf(user('go'), call('a', 'c1'), answer('a', 'c1', 1), agent('b', 'words'), call('a', 'c2'));
    const built = buildContents(events, contentsRequest());
    for (const content of built) expect([content, content.parts, ...content.parts!].every(Object.isFrozen)).toBe(true);
    expect(built[0]).toBe(events[0]!.content);
    expect(built[2]!.parts![0]).toBe(events[2]!.content!.parts![0]);
  });

  it('sets the role of a content without a role by its author', () => {
    const bare = (author: string): EventInit => ({ author, content: { parts: [{ text: 'hi' }] } });
    expect(contents([bare('user'), bare('a')])).toEqual(['user: hi', 'model: hi']);
  });
});
