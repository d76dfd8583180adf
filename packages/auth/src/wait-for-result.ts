import type { Runtime } from '@thole/core';

/** Pauses between two reads in milliseconds. */
const PAUSES_MS = [50, 100, 250, 500, 1_000];

/**
 * Calls `read` until it returns a value, for about two seconds. A server accepts a code or a refresh token only once: a process
 * that is rejected waits for the process that was accepted, which may still be storing its result.
 */
export async function waitForResult<T>(read: () => Promise<T | undefined>, runtime: Runtime): Promise<T | undefined> {
  for (const pauseMs of PAUSES_MS) {
    const result = await read();
    if (result !== undefined) return result;
    await runtime.sleep(pauseMs);
  }
  return read();
}
