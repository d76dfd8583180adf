import { afterAll, onTestFailed } from 'vitest';
import type { Child } from './child.ts';

/**
 * Returns two children that the tests of a suite share, because each takes long to start. Every test has to read all that they
 * tell. After a failed test, and for a child that was replaced with `forget`, the next test gets new ones.
 */
export function sharedPair<Told>(start: () => Child<Told>): { get(): [Child<Told>, Child<Told>]; forget(): void } {
  const all: Child<Told>[] = [];
  let pair: [Child<Told>, Child<Told>] | undefined;
  afterAll(async () => void (await Promise.all(all.map((child) => child.end()))));
  const forget = (): void => void (pair = undefined);
  return {
    get() {
      onTestFailed(forget);
      if (!pair) {
        pair = [start(), start()];
        all.push(...pair);
      }
      return pair;
    },
    forget,
  };
}
