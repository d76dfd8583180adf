import type { CompactionOptions, Event, EventInit, JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { mayBeDue, planCompaction } from '../../src/compaction/plan-compaction.ts';
import { agent, answer, call, compaction, historyOf, longRunning, rewind, user } from '../contents/history-of.ts';

/** Returns the ids of the events that a forced compaction covers. */
function covered(events: readonly Event[], options: CompactionOptions = { interval: 1 }): string[] {
  return planCompaction(events, options, { isForced: true }).flatMap((window) => window.events.map(({ id }) => id));
}

const turn = (n: number): EventInit[] => [
  user(`q${n}`, { invocationId: `i${n}` }),
  agent('a', `a${n}`, { invocationId: `i${n}` }),
];
const invocation1 = { invocationId: 'i1' };
const record = (errorCode: string): EventInit => ({ author: 'a', errorCode, ...invocation1 });

/** A confirmation request of call `c1`, as a run stores it. */
const asksFirst: EventInit[] = [
  user('q1', invocation1),
  call('a', 'c1', invocation1),
  answer('a', 'c1', 'pending', { ...invocation1, actions: { requestedToolConfirmations: { c1: { hint: 'sure?' } } } }),
  {
    ...invocation1,
    author: 'a',
    content: { role: 'model', parts: [{ functionCall: { id: 'r1', name: 'adk_request_confirmation', args: {} } }] },
    longRunningToolIds: ['r1'],
  },
];
const confirms: EventInit = {
  ...invocation1,
  author: 'user',
  content: {
    role: 'user',
    parts: [{ functionResponse: { id: 'r1', name: 'adk_request_confirmation', response: { confirmed: true } } }],
  },
};

describe('planCompaction', () => {
  it('covers a call with its answer, and events of the user and the agent', () => {
    expect(
      covered(
        historyOf(
          user('q', invocation1),
          call('a', 'c1', invocation1),
          answer('a', 'c1', 1, invocation1),
          ...turn(2).slice(1),
        ),
      ),
    ).toEqual(['e1', 'e2', 'e3', 'e4']);
  });

  it('does not cover an invocation with an open interrupt (contract 26)', () => {
    expect(covered(historyOf(...asksFirst, ...turn(2)))).toEqual(['e5', 'e6']);
  });

  it('does not cover a confirmed call before it has its answer (contract 26)', () => {
    expect(covered(historyOf(...asksFirst, ...turn(2), confirms, ...turn(3)))).toEqual(['e5', 'e6', 'e8', 'e9']);
  });

  it('covers a call that was confirmed, and its provisional answer, after its answer', () => {
    const done = [answer('a', 'c1', 'done', invocation1), agent('a', 'a1', invocation1)];
    expect(covered(historyOf(...asksFirst, ...turn(2), confirms, ...done))).toEqual([
      ...['e1', 'e2', 'e3', 'e5', 'e6', 'e8', 'e9'],
    ]);
  });

  it('covers a paused invocation that was cancelled', () => {
    expect(covered(historyOf(...asksFirst, record('RUN_SUPERSEDED'), ...turn(2)))).toContain('e2');
  });

  it('does not cover an invocation with a call that is answered later (contract 26)', () => {
    const called = [user('q1', invocation1), call('a', 'c1', { ...invocation1, ...longRunning('c1') })];
    const noted = answer('a', 'c1', 'noted', invocation1);
    const final = answer('user', 'c1', 'done', invocation1);
    expect(covered(historyOf(...called, noted, ...turn(2)))).toEqual(['e4', 'e5']);
    expect(covered(historyOf(...called, noted, ...turn(2), final, agent('a', 'a1', invocation1)))).toHaveLength(7);
  });

  it('does not cover an invocation with a call without an answer, unless it has ended (contract 26)', () => {
    const crashed = [user('q1', invocation1), call('a', 'c1', invocation1)];
    expect(covered(historyOf(...crashed, ...turn(2)))).toEqual(['e3', 'e4']);
    expect(covered(historyOf(...crashed, record('MODEL_OVERLOADED'), ...turn(2)))).toEqual(['e4', 'e5']);
    expect(covered(historyOf(...crashed, record('RUN_ABORTED'), ...turn(2)))).toEqual(['e1', 'e2', 'e4', 'e5']);
  });

  it.each<[string, EventInit[], string[]]>([
    ['without an answer', [user('q2', { invocationId: 'i2' })], []],
    ['that ended with a tool answer', [call('a', 'c', { invocationId: 'i2' }), answer('a', 'c', 1)], []],
    ['that failed', [...turn(2).slice(0, 1), { author: 'a', errorCode: 'MODEL_AUTH', invocationId: 'i2' }], ['e3']],
    ['that answered', turn(2), ['e3', 'e4']],
  ])('treats the newest invocation %s by its last event (contract 26)', (_, newest, expected) => {
    const events = historyOf(...turn(1), ...newest.map((event) => ({ ...event, invocationId: 'i2' })));
    expect(covered(events)).toEqual(['e1', 'e2', ...expected]);
  });

  it('does not cover the newest invocation between two agents of a workflow (contract 26)', () => {
    const begins: EventInit = { author: 'plan', ...invocation1, actions: { agentState: { currentSubAgent: 'a' } } };
    const ends: EventInit = { author: 'plan', ...invocation1, actions: { endOfAgent: true } };
    const first = [user('q1', invocation1), begins, agent('a', 'a1', invocation1)];
    expect(covered(historyOf(...first))).toEqual([]);
    expect(covered(historyOf(...first, ends))).toEqual(['e1', 'e3']);
  });

  it('does not cover the running and the unfinished invocation (contract 26)', () => {
    const events = historyOf(...turn(1), ...turn(2), ...turn(3));
    const p = { isForced: true, running: 'i1', unfinished: 'i2' };
    const [window] = planCompaction(events, { interval: 1 }, p);
    expect(window!.events.map(({ id }) => id)).toEqual(['e5', 'e6']);
  });

  it.each<[string, JsonObject]>([
    ['results of steps', { step: { path: 'a', name: 'fetch', n: 1, result: 'r' } }],
    ['logs of child runs', { child: { callId: 'c1', events: [] } }],
  ])('does not cover %s, also if they have words (contract 26)', (_, customMetadata) => {
    expect(covered(historyOf(...turn(1), agent('a', 'words', { ...invocation1, customMetadata }), ...turn(2)))).toEqual(
      [...['e1', 'e2', 'e4', 'e5']],
    );
  });

  it('covers events of an app whose metadata has the name step', () => {
    expect(covered(historyOf(...turn(1).map((event) => ({ ...event, customMetadata: { step: 'checkout' } }))))).toEqual(
      ['e1', 'e2'],
    );
  });

  it('covers neither side of a call whose answer is retained (contract 26)', () => {
    const late = [answer('a', 'c1', 1, invocation1), agent('a', 'a1', invocation1)];
    const events = historyOf(user('q1', invocation1), call('a', 'c1', invocation1), ...turn(2), ...late);
    expect(covered(events, { tokenThreshold: 1, eventRetention: 2 })).toEqual(['e1', 'e3', 'e4']);
  });

  it('counts arguments and results of calls for tokenThreshold if the model counts no tokens', () => {
    const text = 'word '.repeat(400);
    const functionCall = { id: 'c1', name: 'look', args: { text } };
    const withArgs = call('a', 'c1', { ...invocation1, content: { role: 'model', parts: [{ functionCall }] } });
    const isDue = (...events: EventInit[]): boolean =>
      mayBeDue(Object.assign(historyOf(...events), { epoch: 0 }), { tokenThreshold: 300 });
    const small = [user('q', invocation1), call('a', 'c1', invocation1), answer('a', 'c1', 1, invocation1)] as const;
    expect(isDue(...small)).toBe(false);
    expect(isDue(small[0], withArgs, small[2])).toBe(true);
    expect(isDue(small[0], small[1], answer('a', 'c1', text, invocation1))).toBe(true);
  });

  it('writes a record for each branch (contract 26)', () => {
    const parallel = ['x', 'y'].map((branch) => agent(branch, `from ${branch}`, { ...invocation1, branch }));
    const events = historyOf(user('q1', invocation1), ...parallel, agent('a', 'a1', invocation1));
    const windows = planCompaction(events, { interval: 1 }, { isForced: true });
    expect(windows.map(({ branch, events: of }) => [branch, of.map(({ id }) => id)])).toEqual([
      [undefined, ['e1', 'e4']],
      ['x', ['e2']],
      ['y', ['e3']],
    ]);
  });

  it('covers restored events again after a rewind of the record (contract 26)', () => {
    const first = compaction(['e1', 'e2'], 's1', { startSeq: 1, endSeq: 2 });
    const events = [...turn(1), ...turn(2), { ...first, invocationId: 'k1' }];
    expect(covered(historyOf(...events))).toEqual(['e3', 'e4']);
    expect(covered(historyOf(...events, rewind('i2')))).toEqual(['e1', 'e2']);
  });
});
