import type { EventInit } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { applyRewinds, newestFirst } from '@thole/core/kit';
import { agent, historyOf, rewind, user } from '../contents/history-of.ts';

const turn = (n: number): EventInit[] => [
  user(`question ${n}`, { invocationId: `i${n}` }),
  agent('a', `answer ${n}`, { invocationId: `i${n}` }),
];
const marker = (target: number, markerInvocation: number): EventInit => ({
  ...rewind(`i${target}`),
  invocationId: `i${markerInvocation}`,
});
const idsAfterRewinds = (...events: EventInit[]): string[] => applyRewinds(historyOf(...events)).map(({ id }) => id);

describe('applyRewinds', () => {
  it('returns the same array without rewinds', () => {
    const events = historyOf(...turn(1));
    expect(applyRewinds(events)).toBe(events);
  });

  it('removes the named invocation, all later events and the marker (contract 27)', () => {
    expect(idsAfterRewinds(...turn(1), ...turn(2), ...turn(3), marker(2, 4), ...turn(5))).toEqual([
      'e1',
      'e2',
      'e8',
      'e9',
    ]);
  });

  it('ignores a marker that a later marker removes (contract 27)', () => {
    // Events that the first marker removed are restored, except events that the second marker removes.
    expect(idsAfterRewinds(...turn(1), ...turn(2), marker(1, 3), marker(2, 4))).toEqual(['e1', 'e2']);
  });

  it('applies two consecutive markers', () => {
    expect(idsAfterRewinds(...turn(1), ...turn(2), marker(2, 3), ...turn(4), marker(4, 5))).toEqual(['e1', 'e2']);
  });

  it('removes only the marker if the named invocation is not in the events (contract 10)', () => {
    expect(idsAfterRewinds(...turn(1), marker(9, 2), ...turn(3))).toEqual(['e1', 'e2', 'e4', 'e5']);
  });

  it('ignores a marker in an event of an agent', () => {
    expect(
      idsAfterRewinds(...turn(1), agent('a', 'forget it', { actions: { rewindBeforeInvocationId: 'i1' } })),
    ).toEqual(['e1', 'e2', 'e3']);
    expect(idsAfterRewinds(...turn(1), { ...marker(1, 2), author: 'a' })).toEqual(['e1', 'e2', 'e3']);
  });

  it('reads a log from its end, and only as far as needed', () => {
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
