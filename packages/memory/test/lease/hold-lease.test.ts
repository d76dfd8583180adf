import { getEventListeners } from 'node:events';
import { inProcessLeases } from '@thole/core/kit';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { holdLease } from '../../src/lease/hold-lease.ts';
import type { HoldLeaseOptions } from '../../src/lease/hold-lease.ts';

function createOptions(signal: AbortSignal): HoldLeaseOptions {
  const runtime = new FixedRuntime();
  const key = { appName: 'shop', userId: 'ann', sessionId: 's' };
  return { leasing: inProcessLeases(runtime), key, runtime, holder: 'test', waitMs: 0, signal };
}

describe('holdLease', () => {
  it.each(['returns', 'fails'])('leaves nothing on a long-lived signal after work that %s', async (end) => {
    const { signal } = new AbortController();
    const options = createOptions(signal);
    const call = (): Promise<void> =>
      holdLease(options, async (workSignal) => {
        // Not all memory services remove their listener.
        workSignal.addEventListener('abort', () => {}, { once: true });
        if (end === 'fails') throw new Error('broken');
      }).catch(() => {});
    await call();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends the work with the reason of the caller', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    const work = holdLease(createOptions(controller.signal), async (signal) => {
      controller.abort(reason);
      signal.throwIfAborted();
    });
    await expect(work).rejects.toBe(reason);
  });
});
