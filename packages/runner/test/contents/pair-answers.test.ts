import type { EventInit } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { buildContents } from '../../src/contents/build-contents.ts';
import type { ContentsRequest } from '../../src/contents/contents-request.ts';
import {
  agent,
  answer,
  answerPart,
  asked,
  call,
  callAll,
  historyOf,
  lines,
  longRunning,
  rewind,
  user,
} from './history-of.ts';

const contents = (events: EventInit[], request: Partial<ContentsRequest> = {}): string[] =>
  lines(buildContents(historyOf(...events), asked(request)));
const note = 'user: The answer to the earlier call of tool_c1 has come; it stands right after that call.';

describe('pairAnswers', () => {
  it('puts the answers of a turn into one content, in call order, however they came (contract 18)', () => {
    const events = historyOf(
      callAll('a', ['c1', 'c2', 'c3']),
      answer('a', 'c3', 3),
      answer('a', 'c1', 1),
      answer('a', 'c2', 2),
    );
    const built = buildContents(events, asked());
    expect(built.map(({ role, parts }) => [role, parts?.length])).toEqual([
      ['model', 3],
      ['user', 3],
    ]);
    expect(lines(built).slice(3)).toEqual(['user: answer c1 1', 'user: answer c2 2', 'user: answer c3 3']);
  });

  it('puts an answer right after its call, though other things were said between (contract 17)', () => {
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

  it('ends with the user where the latest event is an answer that stands further up (contract 17)', () => {
    const events = [
      call('a', 'c1', longRunning('c1')),
      answer('a', 'c1', 'asked'),
      agent('a', 'I have asked.'),
      answer('user', 'c1', 'granted'),
    ];
    expect(contents(events).at(-1)).toBe(note);
  });

  it('makes no note where the user said something beside the answer', () => {
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

  it('takes the last answer of a call that gets several', () => {
    expect(
      contents([
        call('a', 'c1', longRunning('c1')),
        answer('a', 'c1', 'asked'),
        answer('a', 'c1', 'half'),
        answer('user', 'c1', 'done'),
      ]),
    ).toEqual(['model: call c1', 'user: answer c1 done']);
  });

  it('answers "outcome unknown" for a call that a later invocation left behind (contract 28)', () => {
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

  it('answers "outcome unknown" as soon as another invocation asks, though it said nothing yet', () => {
    expect(contents([call('a', 'c1')], { invocationId: 'i2' })).toEqual([
      'model: call c1',
      'user: answer c1 outcome unknown',
    ]);
  });

  it('answers "pending" for a call of the invocation that is going on', () => {
    expect(contents([call('a', 'c1')])).toEqual(['model: call c1', 'user: answer c1 pending']);
  });

  it('answers "pending" for a long-running call, however many invocations later (contract 28)', () => {
    const events = [
      call('a', 'c1', longRunning('c1')),
      user('hello?', { invocationId: 'i2' }),
      user('hello??', { invocationId: 'i3' }),
    ];
    expect(contents(events, { invocationId: 'i3' }).slice(0, 2)).toEqual(['model: call c1', 'user: answer c1 pending']);
  });

  it('leaves a long-running call its provisional answer', () => {
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
    const said: [string, unknown][] = [];
    const both = { author: 'user', content: { role: 'user' as const, parts: [answerPart('c9', 9), { text: 'hi' }] } };
    const events = [answer('a', 'c1', 1), call('a', 'c1'), answer('a', 'c1', 2), both];
    expect(contents(events, { log: (message, fields) => said.push([message, fields]) })).toEqual([
      'model: call c1',
      'user: answer c1 2',
      'user: hi',
    ]);
    expect(said.map(([, fields]) => fields)).toEqual([
      { eventId: 'e1', callId: 'c1', tool: 'tool_c1' },
      { eventId: 'e4', callId: 'c9', tool: 'tool_c9' },
    ]);
  });

  it('prunes the answer to a call that was rewound (contract 27)', () => {
    const events = [
      user('go'),
      call('a', 'c1', { invocationId: 'i2' }),
      { ...rewind('i2'), invocationId: 'i3' },
      answer('user', 'c1', 1, { invocationId: 'i4' }),
    ];
    expect(contents(events, { invocationId: 'i4' })).toEqual(['user: go']);
  });

  it('gives an id that is used twice to the nearer call', () => {
    const events = [call('a', 'c1'), answer('a', 'c1', 1), call('a', 'c1'), answer('a', 'c1', 2)];
    expect(contents(events)).toEqual(['model: call c1', 'user: answer c1 1', 'model: call c1', 'user: answer c1 2']);
  });

  it('pairs calls without ids by their name, first with first', () => {
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

  it('hands out frozen contents that share the stored parts (contract 9)', () => {
    const events = historyOf(user('go'), call('a', 'c1'), answer('a', 'c1', 1), agent('b', 'words'), call('a', 'c2'));
    const built = buildContents(events, asked());
    for (const content of built) expect([content, content.parts, ...content.parts!].every(Object.isFrozen)).toBe(true);
    expect(built[0]).toBe(events[0]!.content);
    expect(built[2]!.parts![0]).toBe(events[2]!.content!.parts![0]);
  });

  it('gives a content without a role the role of its author', () => {
    const bare = (author: string): EventInit => ({ author, content: { parts: [{ text: 'hi' }] } });
    expect(contents([bare('user'), bare('a')])).toEqual(['user: hi', 'model: hi']);
  });
});
