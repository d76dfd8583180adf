import { AgentTree, TholeError } from '@thole/core';
import type { Agent, Content, EventInit } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { SessionLog } from '../../src/history/session-log.ts';
import { assertAnswers, findAgentToRun } from '../../src/history/find-agent-to-run.ts';
import { agent, answer, answerPart, call, historyOf, longRunning, rewind, user } from '../contents/history-of.ts';

const agentWith = (name: string, resumable: boolean | undefined, ...subAgents: Agent[]): Agent => ({
  name,
  resumable,
  subAgents,
  async *runAsync() {},
});
const tree = new AgentTree(
  agentWith(
    'root',
    true,
    agentWith('open', true, agentWith('leaf', true)),
    agentWith('closed', false, agentWith('below', true)),
  ),
);
const message: Content = { role: 'user', parts: [{ text: 'go on' }] };
const replyTo = (id: string): Content => ({ role: 'user', parts: [answerPart(id, 'yes')] });
const agentNameFor = (events: EventInit[], answer: Content = message): string =>
  findAgentToRun(new SessionLog(historyOf(...events)), tree, answer).name;

describe('findAgentToRun', () => {
  it('continues with the last author in the tree that is resumable (contract 29)', () => {
    expect(agentNameFor([user('hi'), agent('open', '1'), agent('leaf', '2'), user('go on')])).toBe('leaf');
  });

  it('returns the root for an empty history', () => {
    expect(agentNameFor([])).toBe('root');
    expect(agentNameFor([user('hi')])).toBe('root');
  });

  it('skips authors that are not agents of the tree (contract 29)', () => {
    expect(
      agentNameFor([
        agent('open', '1'),
        agent('moved_away', '2'),
        { author: 'system', actions: { stateDelta: { x: 1 } } },
      ]),
    ).toBe('open');
  });

  it('skips agents that are not resumable, and agents below them (contract 29)', () => {
    expect(agentNameFor([agent('open', '1'), agent('closed', '2')])).toBe('open');
    expect(agentNameFor([agent('open', '1'), agent('below', '2')])).toBe('open');
    expect(agentNameFor([agent('closed', '1')])).toBe('root');
  });

  it('continues with the root if it was the last author', () => {
    expect(agentNameFor([agent('open', '1'), agent('root', '2')])).toBe('root');
  });

  it('skips all agents below a root that is not an LlmAgent (contract 29)', () => {
    const planned = new AgentTree(agentWith('root', undefined, agentWith('open', true)));
    const log = new SessionLog(historyOf(user('hi'), agent('open', '1'), user('go on')));
    expect(findAgentToRun(log, planned, message).name).toBe('root');
  });

  it('ignores rewound events (contract 29)', () => {
    expect(
      agentNameFor([
        agent('open', '1'),
        agent('leaf', '2', { invocationId: 'i2' }),
        { ...rewind('i2'), invocationId: 'i3' },
      ]),
    ).toBe('open');
  });

  it('continues with the agent whose call is answered, even if it is not resumable (contract 29)', () => {
    const events = [call('closed', 'c1', longRunning('c1')), agent('leaf', 'hm')];
    expect(agentNameFor(events, replyTo('c1'))).toBe('closed');
    expect(agentNameFor([...events, { author: 'user', content: replyTo('c1') }], replyTo('c1'))).toBe('closed');
  });

  it('continues with the last author if the calling agent no longer exists', () => {
    expect(agentNameFor([call('moved_away', 'c1', longRunning('c1')), agent('leaf', 'hm')], replyTo('c1'))).toBe(
      'leaf',
    );
  });

  it('reads only the last events of a long history', () => {
    const events = historyOf(...Array.from({ length: 50 }, () => user('hi')), agent('leaf', 'yes'), user('go on'));
    const read: number[] = [];
    const log = {
      length: events.length,
      epoch: 0,
      at: (i: number) => (read.push(i), events[i]),
      [Symbol.iterator]: () => events[Symbol.iterator](),
    };
    findAgentToRun(log, tree, message);
    expect(read).toEqual([51, 50]);
  });
});

describe('assertAnswers', () => {
  const errorOf = (events: EventInit[], answerMessage: Content): string | undefined => {
    try {
      assertAnswers(new SessionLog(historyOf(...events)), answerMessage);
      return undefined;
    } catch (error) {
      expect(TholeError.is(error, 'INVALID_INPUT')).toBe(true);
      return (error as Error).message;
    }
  };

  it('accepts a message without answers, and an answer to an open call (contract 28)', () => {
    expect(errorOf([], message)).toBeUndefined();
    expect(
      errorOf([call('root', 'c1', longRunning('c1')), answer('root', 'c1', 'asked')], replyTo('c1')),
    ).toBeUndefined();
  });

  it('rejects an answer to a call that is not in the history, or was rewound (contract 28)', () => {
    expect(errorOf([user('hi')], replyTo('c1'))).toContain('does not contain this call');
    const rewound = [
      call('root', 'c1', { ...longRunning('c1'), invocationId: 'i2' }),
      { ...rewind('i2'), invocationId: 'i3' },
    ];
    expect(errorOf(rewound, replyTo('c1'))).toContain('does not contain this call');
  });

  it('rejects an answer to a call that has its final answer (contract 28)', () => {
    expect(errorOf([call('root', 'c1', longRunning('c1')), answer('user', 'c1', 'yes')], replyTo('c1'))).toContain(
      'already',
    );
    expect(errorOf([call('root', 'c1'), answer('root', 'c1', 1)], replyTo('c1'))).toContain('already');
  });

  it('rejects an answer to a call that its tool answers (contract 28)', () => {
    expect(errorOf([call('root', 'c1')], replyTo('c1'))).toContain('only calls of long-running tools');
  });

  it('rejects an answer without an id, with another name, or twice in one message', () => {
    const open = [call('root', 'c1', longRunning('c1'))];
    const answerNamed = (name: string, id?: string): Content => ({
      parts: [{ functionResponse: { ...(id && { id }), name, response: {} } }],
    });
    expect(errorOf(open, answerNamed('tool_c1'))).toContain('has no id');
    expect(errorOf(open, answerNamed('other', 'c1'))).toContain('is a call of "tool_c1"');
    expect(errorOf(open, { parts: [answerPart('c1', 1), answerPart('c1', 2)] })).toContain('twice');
  });
});
