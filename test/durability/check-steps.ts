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
    const expected = { ...stepOf(task, n), seq: event.seq };
    // `expect` is slow, and a long series compares millions of events.
    if (!isDeepStrictEqual(event, expected)) expect(event).toEqual(expected);
  }
  const expectedState = [...counts].flatMap(([task, n]) => scopes.map((scope) => [`${scope}${task}`, n]));
  const last = events.length > 0 ? { last: events.at(-1)!.id } : {};
  const checked = Object.entries(state).filter(([key]) => scopes.includes(/^(app:|user:|)/.exec(key)![0]));
  expect(Object.fromEntries(checked)).toEqual({ ...Object.fromEntries(expectedState), ...last });
  return counts;
}

/** Checks that every acknowledged step is stored, and at most one step of each task that was not acknowledged. */
export function checkAcknowledged(
  stored: ReadonlyMap<string, number>,
  acknowledged: ReadonlyMap<string, number>,
): void {
  for (const task of new Set([...stored.keys(), ...acknowledged.keys()])) {
    const more = (stored.get(task) ?? 0) - (acknowledged.get(task) ?? 0);
    expect([0, 1], `${task}: ${stored.get(task)} stored, ${acknowledged.get(task)} acknowledged`).toContain(more);
  }
}
