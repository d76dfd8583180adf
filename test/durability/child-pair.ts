import { afterAll, onTestFailed } from 'vitest';
import type { Child } from './child.ts';

/**
 * Shares two child processes between the tests of a suite, because a child takes long to start. Each test must read all lines that
 * the children send. After a failed test or a call of `forget`, `get` starts two new children.
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
