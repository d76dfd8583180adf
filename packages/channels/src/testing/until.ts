import { fail } from 'node:assert/strict';
import { systemRuntime } from '@thole/core';

const LIMIT_MS = 4_000;
const PAUSE_MS = 5;

/** Waits until a condition is true. Fails after four seconds. */
export async function until(isTrue: () => boolean, expected: string): Promise<void> {
  const runtime = systemRuntime();
  const start = runtime.monotonic();
  while (!isTrue()) {
    if (runtime.monotonic() - start > LIMIT_MS) fail(`Expected: ${expected}.`);
    await runtime.sleep(PAUSE_MS);
  }
}

/** Waits long enough for a message that must not arrive. */
export function shortWhile(): Promise<void> {
  return systemRuntime().sleep(60);
}
