import { ProviderConnection, TholeError } from '@thole/core';
import type { RetryOptions } from '@thole/core';
import { withRetries } from '@thole/core/kit';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

describe('withRetries', () => {
  /** Returns the number of calls of a server that is always overloaded. */
  async function countCalls(p: { inner: RetryOptions | false | undefined; maxAttempts: number }): Promise<number> {
    const runtime = new FixedRuntime();
    const error = (): TholeError => new TholeError('MODEL_UNAVAILABLE', 'The server cannot be reached.');
    const connection = new ProviderConnection({ runtime, retry: p.inner }, { refuse: error, explain: error });
    let calls = 0;
    const send = async (): Promise<never> => {
      calls++;
      throw new Error('fetch failed');
    };
    const attempt = (): Promise<never> => connection.send(send, undefined);
    const failed = withRetries(attempt, { maxAttempts: p.maxAttempts, runtime }).catch((reason: unknown) => reason);
    await runtime.advance(60_000);
    expect(await failed).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
    return calls;
  }

  it.each([
    [undefined, 3, 3],
    [false as const, 3, 3],
    [{ maxAttempts: 2 }, 3, 2],
    [{ maxAttempts: 2 }, 4, 4],
    [{ maxAttempts: 5 }, 3, 5],
    [undefined, 1, 3],
  ])('counts the attempts that a connection with retry %j has made (maxAttempts %i)', async (inner, maxAttempts, n) => {
    expect(await countCalls({ inner, maxAttempts })).toBe(n);
  });
});
