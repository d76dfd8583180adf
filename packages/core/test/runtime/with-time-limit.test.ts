import { getEventListeners } from 'node:events';
import { systemRuntime } from '@thole/core';
import { withTimeLimit } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

const timeoutError = (): Error => new Error('too late');

/** A runtime with one timer. `isSet` shows whether it is set, and `fire` ends the time. */
function runtimeWithTimer() {
  let work: (() => void) | undefined;
  const timer = (_ms: number, fn: () => void) => {
    work = fn;
    return () => (work = undefined);
  };
  return { runtime: { ...systemRuntime(), timer }, fire: () => work?.(), isSet: () => work !== undefined };
}

describe('withTimeLimit', () => {
  it('returns the result and cancels the timer', async () => {
    const { runtime, isSet } = runtimeWithTimer();
    const result = withTimeLimit({ runtime, ms: 10, timeoutError }, async () => 'done');
    expect(isSet()).toBe(true);
    expect(await result).toBe('done');
    expect(isSet()).toBe(false);
  });

  it('rejects with the error of the work, also if it throws at once, and cancels the timer', async () => {
    const { runtime, isSet } = runtimeWithTimer();
    const failing = withTimeLimit({ runtime, ms: 10, timeoutError }, () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(isSet()).toBe(false);
  });

  it('rejects when the time is over, although the work does not end, and aborts its signal', async () => {
    const { runtime, fire } = runtimeWithTimer();
    let received: AbortSignal | undefined;
    const late = withTimeLimit({ runtime, ms: 10, timeoutError }, (signal) => {
      received = signal;
      return new Promise(() => {});
    });
    fire();
    await expect(late).rejects.toThrow('too late');
    expect(received!.reason).toEqual(timeoutError());
  });

  it('rejects with the reason of the signal, not with the error that the work makes of it', async () => {
    const { runtime, isSet } = runtimeWithTimer();
    const caller = new AbortController();
    const stopped = withTimeLimit({ runtime, ms: 10, timeoutError, signal: caller.signal }, async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new Error('the connection failed');
    });
    caller.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    expect(isSet()).toBe(false);
  });

  it.each(['returns', 'fails'])('leaves nothing on a long-lived signal after work that %s', async (end) => {
    const { signal } = new AbortController();
    const call = (): Promise<void> =>
      withTimeLimit({ runtime: systemRuntime(), ms: 60_000, timeoutError, signal }, async (limited) => {
        // Many libraries never remove their listener.
        limited.addEventListener('abort', () => {}, { once: true });
        if (end === 'fails') throw new Error('broken');
      }).catch(() => {});
    await call();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
