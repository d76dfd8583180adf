import { raceAbort, raceAbortWrite } from '@thole/core/kit';
import { expect, it } from 'vitest';

const never = new Promise<never>(() => {});

it('raceAbort throws the signal’s reason, aborted before or during the wait', async () => {
  const reason = new Error('enough');
  await expect(raceAbort(never, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const waiting = raceAbort(never, controller.signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it('raceAbort settles like the promise without an abort and removes its listener', async () => {
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

it('raceAbortWrite reports an unknown outcome for an aborted write, never a failure (contract 7)', async () => {
  const waiting = raceAbortWrite(never, AbortSignal.abort('enough'));
  await expect(waiting).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN', cause: 'enough', retryable: true });
  await expect(raceAbortWrite(Promise.reject(new Error('refused')), undefined)).rejects.toThrow('refused');
});
