import { TholeError } from '@thole/core';
import { withRetries } from '@thole/core/kit';
import type { TholeErrorOptions } from '@thole/core/kit';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const overloaded = (options: TholeErrorOptions = {}): TholeError =>
  new TholeError('MODEL_OVERLOADED', 'Come again.', options);

/** Returns an attempt that throws these errors in order and then returns an answer. `at` has the time of each attempt. */
function failing(runtime: FixedRuntime, ...errors: unknown[]): { at: number[]; attempt: () => Promise<string> } {
  const at: number[] = [];
  return {
    at,
    attempt: async () => {
      at.push(runtime.monotonic());
      if (errors.length >= at.length) throw errors[at.length - 1];
      return 'answer';
    },
  };
}

/** Returns the waits between attempts that all fail, in milliseconds. `seed` determines the random numbers. */
async function measureWaits(seed: number, maxAttempts: number, error: TholeError = overloaded()): Promise<number[]> {
  const runtime = new FixedRuntime({ seed });
  const { at, attempt } = failing(runtime, ...Array.from({ length: maxAttempts }, () => error));
  const outcome = withRetries(attempt, { maxAttempts, runtime }).catch((thrown: unknown) => thrown);
  await runtime.advance(3_600_000);
  expect(await outcome).toBe(error);
  expect(at.length).toBe(maxAttempts);
  expect(runtime.pending).toBe(0);
  return at.slice(1).map((time, index) => time - at[index]!);
}

describe('withRetries', () => {
  it('returns the value of the first attempt without a wait', async () => {
    const runtime = new FixedRuntime();
    const { at, attempt } = failing(runtime);
    expect(await withRetries(attempt, { maxAttempts: 3, runtime })).toBe('answer');
    expect([at.length, runtime.pending]).toEqual([1, 0]);
  });

  it('retries retryable errors and returns the value of a later attempt', async () => {
    const runtime = new FixedRuntime();
    const { at, attempt } = failing(runtime, overloaded(), overloaded());
    const answer = withRetries(attempt, { maxAttempts: 3, runtime });
    await runtime.advance(60_000);
    expect(await answer).toBe('answer');
    expect(at.length).toBe(3);
  });

  it.each([
    ['0.5 s', new TholeError('MODEL_UNAVAILABLE', 'Gone.'), [500, 1000, 2000, 4000, 8000, 8000]],
    ['4 s after MODEL_OVERLOADED', overloaded(), [4000, 8000, 8000]],
  ])(
    'waits between half of and all of a limit that doubles from %s up to 8 s (contract 43)',
    async (_first, error, bounds) => {
      const drawn = await Promise.all(
        Array.from({ length: 200 }, (_, seed) => measureWaits(seed, bounds.length + 1, error)),
      );
      for (const [index, bound] of bounds.entries()) {
        const shares = drawn.map((each) => each[index]! / bound);
        expect(Math.max(...shares), `wait ${index + 1}`).toBeLessThanOrEqual(1);
        expect(Math.min(...shares), `wait ${index + 1}`).toBeGreaterThanOrEqual(0.5);
        for (const from of [0.5, 0.625, 0.75, 0.875]) {
          const there = shares.filter((share) => share >= from && share < from + 0.125).length;
          expect(there, `wait ${index + 1} from ${from}`).toBeGreaterThan(20);
        }
      }
      expect(await measureWaits(7, 4)).toEqual(await measureWaits(7, 4));
    },
  );

  it('waits for the time that the server names, plus at most half a second', async () => {
    for (let seed = 0; seed < 50; seed++) {
      for (const wait of await measureWaits(seed, 3, overloaded({ retryAfterMs: 7000 }))) {
        expect(wait).toBeGreaterThanOrEqual(7000);
        expect(wait).toBeLessThan(7500);
      }
    }
  });

  it('throws at once if the server names more than a minute, and waits for a minute', async () => {
    const runtime = new FixedRuntime();
    const long = overloaded({ retryAfterMs: 60_001 });
    const { at, attempt } = failing(runtime, long);
    await expect(withRetries(attempt, { maxAttempts: 3, runtime })).rejects.toBe(long);
    expect([at.length, runtime.pending]).toEqual([1, 0]);
    expect((await measureWaits(1, 2, overloaded({ retryAfterMs: 60_000 })))[0]).toBeGreaterThanOrEqual(60_000);
  });

  it('throws the error if the next attempt would begin after maxTotalMs', async () => {
    const runtime = new FixedRuntime();
    const error = overloaded({ retryAfterMs: 5000 });
    const { at, attempt } = failing(runtime, error, error, error, error);
    const outcome = withRetries(attempt, { maxAttempts: 9, maxTotalMs: 12_000, runtime }).catch(
      (thrown: unknown) => thrown,
    );
    await runtime.advance(60_000);
    expect(await outcome).toBe(error);
    expect([at.length, runtime.pending]).toEqual([3, 0]);
  });

  it.each<[string, unknown]>([
    ['of a time limit of the client', new TholeError('MODEL_TIMEOUT', 'Silent.', { details: { endedBy: 'client' } })],
    ['that is permanent', new TholeError('MODEL_AUTH', 'No.')],
    ['with retryable: false', overloaded({ retryable: false })],
    ['that is not a TholeError', new Error('socket hang up')],
    ['that is not an Error object', { retryable: true }],
  ])('never repeats a call that failed with an error %s', async (_what, error) => {
    const runtime = new FixedRuntime();
    const { at, attempt } = failing(runtime, error);
    await expect(withRetries(attempt, { maxAttempts: 3, runtime })).rejects.toBe(error);
    expect([at.length, runtime.pending]).toEqual([1, 0]);
  });

  it('throws the signal’s reason while it waits, without a further attempt', async () => {
    const runtime = new FixedRuntime();
    const abort = new AbortController();
    const { at, attempt } = failing(runtime, overloaded({ retryAfterMs: 30_000 }));
    const outcome = withRetries(attempt, { maxAttempts: 3, runtime, signal: abort.signal }).catch((error) => error);
    await runtime.advance(10);
    expect(runtime.pending).toBe(1);
    abort.abort('enough');
    expect(await outcome).toBe('enough');
    await runtime.advance(60_000);
    expect([at.length, runtime.pending]).toEqual([1, 0]);
  });

  it('does not begin to wait if its signal was aborted meanwhile', async () => {
    const runtime = new FixedRuntime();
    const abort = new AbortController();
    const error = overloaded();
    const attempt = async (): Promise<never> => {
      abort.abort('enough');
      throw error;
    };
    await expect(withRetries(attempt, { maxAttempts: 3, runtime, signal: abort.signal })).rejects.toBe(error);
    expect(runtime.pending).toBe(0);
  });
});
