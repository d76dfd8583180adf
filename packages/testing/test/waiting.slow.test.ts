import { systemRuntime } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { settlesWithin } from '../src/suites/waiting.ts';

const real = systemRuntime();

/** Looks every 200 ms of the test's clock whether 2,000 ms have passed. Each answer takes 400 ms of real time. */
async function lookUntilOver(runtime: FixedRuntime): Promise<string> {
  for (;;) {
    const asked = runtime.monotonic();
    await real.sleep(400);
    if (asked >= 2_000) return 'over';
    await runtime.sleep(200);
  }
}

describe('settlesWithin', () => {
  it('waits for the next poll of a store that answers after the limit', async () => {
    const runtime = new FixedRuntime();
    expect(await settlesWithin(runtime, lookUntilOver(runtime), 4_000)).toBe('over');
  });

  it('fails for a promise that does not settle, and moves the clock a second past the limit', async () => {
    const runtime = new FixedRuntime();
    await expect(settlesWithin(runtime, new Promise(() => {}), 4_000)).rejects.toThrow(/nothing came within 4000 ms/);
    expect(runtime.monotonic()).toBe(5_000);
  });
});
