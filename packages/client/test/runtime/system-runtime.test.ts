import { systemRuntime as coreRuntime } from '@thole/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemRuntime } from '../../src/runtime/system-runtime.ts';

const DAY_MS = 86_400_000;

// The client has its own implementation, because it imports only types from core.
describe.each([
  ['client', systemRuntime],
  ['core', coreRuntime],
])('systemRuntime of %s', (_, create) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('splits waits that are longer than setTimeout allows', async () => {
    const { sleep, timer } = create();
    let fired = 0;
    timer(60 * DAY_MS, () => fired++);
    void sleep(60 * DAY_MS).then(() => fired++);
    await vi.advanceTimersByTimeAsync(60 * DAY_MS - 1);
    expect(fired).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(fired).toBe(2);
  });

  it('never fires for Infinity, and not after a timer was cancelled', async () => {
    const { sleep, timer } = create();
    let fired = 0;
    timer(Infinity, () => fired++);
    void sleep(Infinity).then(() => fired++);
    timer(5, () => fired++)();
    await vi.advanceTimersByTimeAsync(60 * DAY_MS);
    expect(fired).toBe(0);
  });

  it('rejects a sleep with the reason of its signal, before or during it', async () => {
    const { sleep } = create();
    await expect(sleep(5, AbortSignal.abort('before'))).rejects.toBe('before');
    const controller = new AbortController();
    const sleeping = sleep(Infinity, controller.signal);
    controller.abort('during');
    await expect(sleeping).rejects.toBe('during');
  });

  it('returns seconds since the epoch, and random numbers from 0 to 1', () => {
    vi.setSystemTime(1_700_000_000_500);
    const { now, random } = create();
    expect(now()).toBe(1_700_000_000.5);
    expect(random()).toBeGreaterThanOrEqual(0);
    expect(random()).toBeLessThan(1);
  });
});
