import type { EventInit } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { applyRewinds, newestFirst } from '@thole/core/kit';
import { agent, historyOf, rewind, user } from '../contents/history-of.ts';

const turn = (n: number): EventInit[] => [
  user(`question ${n}`, { invocationId: `i${n}` }),
  agent('a', `answer ${n}`, { invocationId: `i${n}` }),
];
const marker = (target: number, own: number): EventInit => ({ ...rewind(`i${target}`), invocationId: `i${own}` });
const standing = (...events: EventInit[]): string[] => applyRewinds(historyOf(...events)).map(({ id }) => id);

describe('applyRewinds', () => {
  it('answers the same array where nothing was rewound', () => {
    const events = historyOf(...turn(1));
    expect(applyRewinds(events)).toBe(events);
  });

  it('annuls everything since the first event of the named invocation, and the marker (contract 27)', () => {
    expect(standing(...turn(1), ...turn(2), ...turn(3), marker(2, 4), ...turn(5))).toEqual(['e1', 'e2', 'e8', 'e9']);
  });

  it('does not follow a marker that a later one has annulled (contract 27)', () => {
    // Events that the first marker removed are back, except those that the second removes.
    expect(standing(...turn(1), ...turn(2), marker(1, 3), marker(2, 4))).toEqual(['e1', 'e2']);
  });

  it('follows two consecutive markers', () => {
    expect(standing(...turn(1), ...turn(2), marker(2, 3), ...turn(4), marker(4, 5))).toEqual(['e1', 'e2']);
  });

  it('leaves everything else in place when the named invocation is not here (contract 10)', () => {
    expect(standing(...turn(1), marker(9, 2), ...turn(3))).toEqual(['e1', 'e2', 'e4', 'e5']);
  });

  it('ignores a marker that an agent put into its own words', () => {
    expect(standing(...turn(1), agent('a', 'forget it', { actions: { rewindBeforeInvocationId: 'i1' } }))).toEqual([
      'e1',
      'e2',
      'e3',
    ]);
    expect(standing(...turn(1), { ...marker(1, 2), author: 'a' })).toEqual(['e1', 'e2', 'e3']);
  });

  it('reads a log from its end only as far as it is asked', () => {
    const events = historyOf(...turn(1), ...turn(2));
    const read: number[] = [];
    const watched = {
      length: 4,
      epoch: 0,
      at: (i: number) => (read.push(i), events[i]),
      [Symbol.iterator]: () => events[Symbol.iterator](),
    };
    newestFirst(watched).next();
    expect(read).toEqual([3]);
  });
});
