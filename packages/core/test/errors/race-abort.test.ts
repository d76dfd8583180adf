import { raceAbort, raceAbortWrite } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

const never = new Promise<never>(() => {});

describe('raceAbort', () => {
  it('throws the signal’s reason if the signal is aborted before or during the wait', async () => {
    const reason = new Error('enough');
    await expect(raceAbort(never, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const waiting = raceAbort(never, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('settles as the promise does without an abort, and removes its listener', async () => {
    const { signal } = new AbortController();
    const listening = new Set<unknown>();
    signal.addEventListener = (_: unknown, listener: unknown) => void listening.add(listener);
    signal.removeEventListener = (_: unknown, listener: unknown) => void listening.delete(listener);
    expect(await raceAbort(Promise.resolve(1), signal)).toBe(1);
    await expect(raceAbort(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    await Promise.resolve();
    expect(listening.size).toBe(0);
    expect(await raceAbort(Promise.resolve(2), undefined)).toBe(2);
  });

  it('throws the error of onAbort, or the reason without onAbort', async () => {
    const controller = new AbortController();
    expect(await raceAbort(Promise.resolve(1), controller.signal)).toBe(1);
    const waiting = raceAbort(
      new Promise(() => {}),
      controller.signal,
      (reason) => new Error(`ended: ${String(reason)}`),
    );
    controller.abort('enough');
    await expect(waiting).rejects.toThrow('ended: enough');
    await expect(raceAbort(new Promise(() => {}), controller.signal)).rejects.toBe('enough');
    expect(await raceAbort(Promise.resolve(2), undefined)).toBe(2);
  });
});

describe('raceAbortWrite', () => {
  it('reports an unknown outcome for an aborted write, never a failure (contract 7)', async () => {
    const waiting = raceAbortWrite(never, AbortSignal.abort('enough'));
    await expect(waiting).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN', cause: 'enough', retryable: true });
    await expect(raceAbortWrite(Promise.reject(new Error('refused')), undefined)).rejects.toThrow('refused');
  });
});
