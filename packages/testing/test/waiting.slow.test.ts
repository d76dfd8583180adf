import { systemRuntime } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { settlesWithin } from '../src/suites/waiting.ts';

const real = systemRuntime();

/** Polls every 200 ms of the test's clock until 2,000 ms have passed. Each answer takes 400 ms of real time. */
async function pollUntilOver(runtime: FixedRuntime): Promise<string> {
  for (;;) {
    const polledAt = runtime.monotonic();
    await real.sleep(400);
    if (polledAt >= 2_000) return 'over';
    await runtime.sleep(200);
  }
}

describe('settlesWithin', () => {
  it('waits for the next poll of a store that answers after the limit', async () => {
    const runtime = new FixedRuntime();
    expect(await settlesWithin(runtime, pollUntilOver(runtime), 4_000)).toBe('over');
  });

  it('fails for a promise that does not settle, and moves the clock a second past the limit', async () => {
    const runtime = new FixedRuntime();
    await expect(settlesWithin(runtime, new Promise(() => {}), 4_000)).rejects.toThrow(/did not settle within 4000 ms/);
    expect(runtime.monotonic()).toBe(5_000);
  });
});
