import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { timerAt } from '../../src/runtime/timer-at.ts';

/** Returns a runtime whose clock can be set, and the times at which a timer for the next hour has called its function. */
function setUp(): { runtime: FixedRuntime; setClock(seconds: number): void; calls: number[]; cancel: () => void } {
  const runtime = new FixedRuntime();
  const now = runtime.now.bind(runtime);
  const start = now();
  let offset = 0;
  runtime.now = () => now() + offset;
  const calls: number[] = [];
  const cancel = timerAt(runtime, start + 3_600, () => calls.push(runtime.now() - start));
  return { runtime, setClock: (seconds) => void (offset = seconds), calls, cancel };
}

describe('timerAt', () => {
  it('calls the function once, at its time', async () => {
    const { runtime, calls } = setUp();
    await runtime.advance(3_599_999);
    expect(calls).toEqual([]);
    await runtime.advance(10_000_000);
    expect(calls).toEqual([3_600]);
    expect(runtime.pending).toBe(0);
  });

  it('calls it within ten minutes after the clock was set beyond its time, or the computer slept', async () => {
    const { runtime, setClock, calls } = setUp();
    setClock(86_400);
    await runtime.advance(600_000);
    expect(calls).toEqual([87_000]);
  });

  it('waits until its time if the clock was set back', async () => {
    const { runtime, setClock, calls } = setUp();
    setClock(-3_600);
    await runtime.advance(7_199_000);
    expect(calls).toEqual([]);
    await runtime.advance(1_000);
    expect(calls).toEqual([3_600]);
  });

  it('does not call it after it was cancelled', async () => {
    const { runtime, calls, cancel } = setUp();
    await runtime.advance(1_200_000);
    cancel();
    expect(runtime.pending).toBe(0);
    await runtime.advance(3_600_000);
    expect(calls).toEqual([]);
  });
});
