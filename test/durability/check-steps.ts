import { isDeepStrictEqual } from 'node:util';
import type { Session } from '@thole/core';
import { expect } from 'vitest';
import { stepOf } from './steps.ts';

/**
 * Returns the number of steps of each task in a session. Checks that each is stored once, complete and in order,
 * with its state.
 */
export function stepsIn(session: Session, scopes: readonly string[] = ['', 'user:', 'app:']): Map<string, number> {
  const { events, state } = session;
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  expect(session.lastSeq).toBe(events.length);
  const counts = new Map<string, number>();
  for (const event of events) {
    const task = event.invocationId;
    const n = (counts.get(task) ?? 0) + 1;
    counts.set(task, n);
    const whole = { ...stepOf(task, n), seq: event.seq };
    // The short way first: a long series looks at millions.
    if (!isDeepStrictEqual(event, whole)) expect(event).toEqual(whole);
  }
  const told = [...counts].flatMap(([task, n]) => scopes.map((scope) => [`${scope}${task}`, n]));
  const last = events.length > 0 ? { last: events.at(-1)!.id } : {};
  const shown = Object.entries(state).filter(([key]) => scopes.includes(/^(app:|user:|)/.exec(key)![0]));
  expect(Object.fromEntries(shown)).toEqual({ ...Object.fromEntries(told), ...last });
  return counts;
}

/** Every acknowledged step is stored; of those that were not, at most the one that each task was at. */
export function checkAcknowledged(
  stored: ReadonlyMap<string, number>,
  acknowledged: ReadonlyMap<string, number>,
): void {
  for (const task of new Set([...stored.keys(), ...acknowledged.keys()])) {
    const more = (stored.get(task) ?? 0) - (acknowledged.get(task) ?? 0);
    expect([0, 1], `${task}: ${stored.get(task)} stored, ${acknowledged.get(task)} acknowledged`).toContain(more);
  }
}
