import { describe, expect, it } from 'vitest';
import { buildContents } from '../../src/contents/build-contents.ts';
import { selectEvents } from '../../src/contents/select-events.ts';
import { agent, answer, contentsRequest, call, compaction, historyOf, lines, user } from './history-of.ts';

const events = historyOf(
  user('1'),
  agent('a', '2'),
  compaction(['e1'], 'short', { startSeq: 1, endSeq: 1 }),
  user('4'),
  agent('a', '5'),
);

describe('selectEvents', () => {
  it('returns all events without a selection', () => {
    expect(selectEvents(events, undefined)).toBe(events);
  });

  it('returns events from a seq on, and compaction records', () => {
    expect(selectEvents(events, { fromSeq: 5 }).map(({ id }) => id)).toEqual(['e3', 'e5']);
  });

  it('returns the selected events in the order of the history, and compaction records', () => {
    expect(
      selectEvents(events, [events[4]!, events[1]!, { ...events[0]!, id: 'not here' }]).map(({ id }) => id),
    ).toEqual(['e2', 'e3', 'e5']);
  });

  it('receives the events that the agent may see, before others are retold (contract 17)', () => {
    const seen: string[] = [];
    const history = historyOf(user('hi'), { author: 'a', errorCode: 'RUN_ABORTED' }, agent('b', 'words'));
    buildContents(
      history,
      contentsRequest({ selectHistory: (log) => void seen.push(...[...log].map(({ author }) => author)) }),
    );
    expect(seen).toEqual(['user', 'b']);
  });

  it('leaves no unpaired call or answer if the selection splits a pair (contract 17)', () => {
    const history = historyOf(user('hi'), call('a', 'c1'), answer('a', 'c1', 7), agent('a', 'seven'));
    expect(lines(buildContents(history, contentsRequest({ selectHistory: () => ({ fromSeq: 3 }) })))).toEqual([
      'model: seven',
    ]);
    expect(lines(buildContents(history, contentsRequest({ selectHistory: () => history.slice(0, 2) })))).toEqual([
      'user: hi',
      'model: call c1',
      'user: answer c1 pending',
    ]);
  });
});
