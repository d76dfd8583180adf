import { describe, expect, it } from 'vitest';
import { systemRuntime } from '../../src/index.ts';
import { waitAtMost } from '../../src/kit.ts';

const runtime = systemRuntime();

describe('waitAtMost', () => {
  it('returns the value of the promise, and rejects with its error', async () => {
    expect(await waitAtMost(runtime, 60_000, Promise.resolve(7))).toBe(7);
    await expect(waitAtMost(runtime, 60_000, Promise.reject(new Error('mine')))).rejects.toThrow('mine');
  });

  it('returns undefined after the time, while the promise continues', async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    expect(await waitAtMost(runtime, 1, promise)).toBeUndefined();
    resolve(7);
    expect(await promise).toBe(7);
  });

  it('ends its timer', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const sleep = (_: number, signal?: AbortSignal): Promise<void> => {
      signals.push(signal);
      return new Promise(() => {});
    };
    await waitAtMost({ ...runtime, sleep }, 60_000, Promise.resolve());
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});
