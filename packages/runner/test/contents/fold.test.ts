import type { Event, EventLog } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { ContentsFold } from '../../src/contents/fold.ts';
import { SessionLog } from '../../src/history/session-log.ts';
import {
  agent,
  answer,
  contentsRequest,
  call,
  callAll,
  historyOf,
  lines,
  longRunning,
  rewind,
  user,
} from './history-of.ts';

/** Records the indexes of the events that are read. */
class WatchedLog extends SessionLog implements EventLog {
  read: number[] = [];
  override at(index: number): Event | undefined {
    this.read.push(index);
    return super.at(index);
  }
}

describe('ContentsFold', () => {
  it('reads only new events', () => {
    const events = historyOf(user('1'), call('a', 'c1'), answer('a', 'c1', 1), agent('a', '4'), user('5'));
    const log = new WatchedLog(events.slice(0, 4));
    const fold = new ContentsFold();
    fold.contentsOf(log, contentsRequest());
    log.read = [];
    log.push(events[4]!);
    expect(lines(fold.contentsOf(log, contentsRequest())).at(-1)).toBe('user: 5');
    expect(log.read).toEqual([4]);
  });

  it('returns a new array with the same contents', () => {
    const log = new SessionLog(historyOf(user('1'), agent('a', '2')));
    const fold = new ContentsFold();
    const first = fold.contentsOf(log, contentsRequest());
    const second = fold.contentsOf(log, contentsRequest());
    expect(second).not.toBe(first);
    expect(second.every((content, i) => content === first[i])).toBe(true);
  });

  it('reads everything again when the epoch changes', () => {
    const [question, reply, marker] = historyOf(user('1'), agent('a', '2', { invocationId: 'i2' }), rewind('i2'));
    const log = new SessionLog([question!, reply!]);
    const fold = new ContentsFold();
    expect(lines(fold.contentsOf(log, contentsRequest()))).toEqual(['user: 1', 'model: 2']);
    log.push(marker!);
    expect(lines(fold.contentsOf(log, contentsRequest()))).toEqual(['user: 1']);
  });

  it('replaces "pending" when the answer to a call arrives', () => {
    const events = historyOf(call('a', 'c1', longRunning('c1')), agent('a', 'wait'), answer('user', 'c1', 'yes'));
    const log = new SessionLog(events.slice(0, 2));
    const fold = new ContentsFold();
    expect(lines(fold.contentsOf(log, contentsRequest()))[1]).toBe('user: answer c1 pending');
    log.push(events[2]!);
    expect(lines(fold.contentsOf(log, contentsRequest()))[1]).toBe('user: answer c1 yes');
  });

  it('changes "pending" to "outcome unknown" when the next invocation begins', () => {
    const events = historyOf(call('a', 'c1'), user('hello?', { invocationId: 'i2' }));
    const log = new SessionLog(events.slice(0, 1));
    const fold = new ContentsFold();
    expect(lines(fold.contentsOf(log, contentsRequest()))[1]).toBe('user: answer c1 pending');
    log.push(events[1]!);
    expect(lines(fold.contentsOf(log, contentsRequest({ invocationId: 'i2' })))[1]).toBe(
      'user: answer c1 outcome unknown',
    );
  });

  it('does not use the answer of a later call with the same id for an earlier call', () => {
    const events = historyOf(
      call('a', 'c1'),
      call('a', 'c1', longRunning('c1')),
      answer('user', 'c1', 1),
      user('hello?', { invocationId: 'i2' }),
    );
    const log = new SessionLog(events.slice(0, 3));
    const fold = new ContentsFold();
    expect(lines(fold.contentsOf(log, contentsRequest()))[1]).toBe('user: answer c1 pending');
    log.push(events[3]!);
    expect(lines(fold.contentsOf(log, contentsRequest({ invocationId: 'i2' })))[1]).toBe(
      'user: answer c1 outcome unknown',
    );
  });

  it('joins continued speech', () => {
    const events = historyOf(
      { author: 'user', inputTranscription: { text: 'Hel' } },
      { author: 'user', inputTranscription: { text: 'lo' } },
    );
    const log = new SessionLog(events.slice(0, 1));
    const fold = new ContentsFold();
    expect(lines(fold.contentsOf(log, contentsRequest()))).toEqual(['user: Hel']);
    log.push(events[1]!);
    expect(lines(fold.contentsOf(log, contentsRequest()))).toEqual(['user: Hello']);
  });

  it('does not use the answer to a call of another agent with the same id', () => {
    const events = historyOf(
      call('a', 'c1'),
      call('b', 'c1'),
      answer('user', 'c1', 1),
      user('hello?', { invocationId: 'i2' }),
    );
    const log = new SessionLog(events.slice(0, 3));
    const fold = new ContentsFold();
    expect(lines(fold.contentsOf(log, contentsRequest()))[1]).toBe('user: answer c1 pending');
    log.push(events[3]!);
    expect(lines(fold.contentsOf(log, contentsRequest({ invocationId: 'i2' })))[1]).toBe(
      'user: answer c1 outcome unknown',
    );
  });

  it('starts again for another agent, another branch and another log', () => {
    const fold = new ContentsFold();
    const log = new SessionLog(historyOf(agent('a', 'mine'), agent('b', 'aside', { branch: 'p.b' })));
    expect(fold.contentsOf(log, contentsRequest())).toHaveLength(2);
    expect(fold.contentsOf(log, contentsRequest({ branch: 'p.a' }))).toHaveLength(1);
    expect(lines(fold.contentsOf(log, contentsRequest({ agentName: 'b', branch: 'p.a' }))).at(-1)).toBe(
      'user: [a] said: mine',
    );
    expect(fold.contentsOf(new SessionLog(), contentsRequest())).toEqual([]);
  });

  it('applies selectHistory again in each request', () => {
    const log = new SessionLog(historyOf(user('1'), user('2'), user('3')));
    const fold = new ContentsFold();
    for (const [fromSeq, left] of [
      [1, 3],
      [3, 1],
      [2, 2],
    ] as const) {
      expect(fold.contentsOf(log, contentsRequest({ selectHistory: () => ({ fromSeq }) }))).toHaveLength(left);
    }
    expect(fold.contentsOf(log, contentsRequest())).toHaveLength(3);
  });

  it('works after selectHistory has failed', () => {
    const log = new SessionLog(historyOf(user('1'), agent('a', '2')));
    const fold = new ContentsFold();
    const fails = (): never => {
      throw new Error('no choice today');
    };
    expect(() => fold.contentsOf(log, contentsRequest({ selectHistory: fails }))).toThrow('no choice today');
    expect(lines(fold.contentsOf(log, contentsRequest()))).toEqual(['user: 1', 'model: 2']);
  });

  it('returns the content of a frozen event without a copy', () => {
    const events = historyOf(user('1'), agent('a', '2'));
    const contents = new ContentsFold().contentsOf(new SessionLog(events), contentsRequest());
    expect(contents.map((content, i) => content === events[i]!.content)).toEqual([true, true]);
  });

  it('returns answers to parallel calls in call order, for any order of events', () => {
    const events = historyOf(
      callAll('a', ['c1', 'c2', 'c3']),
      answer('a', 'c3', 3),
      answer('a', 'c1', 1),
      answer('user', 'c2', 2),
      user('5'),
    );
    const result = lines(new ContentsFold().contentsOf(new SessionLog(events), contentsRequest()));
    expect(result.slice(3)).toEqual(['user: answer c1 1', 'user: answer c2 2', 'user: answer c3 3', 'user: 5']);
  });
});
