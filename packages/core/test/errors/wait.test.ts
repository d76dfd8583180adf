import { raceAbort, raceAbortWrite } from '@thole/core/kit';
import { expect, it } from 'vitest';

const never = new Promise<never>(() => {});

it('ends a wait with the signal’s reason, aborted before or while it lasts', async () => {
  const reason = new Error('enough');
  await expect(raceAbort(never, AbortSignal.abort(reason))).rejects.toBe(reason);
  const controller = new AbortController();
  const waiting = raceAbort(never, controller.signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

it('answers what the promise does where nobody aborts, and lets go of the signal', async () => {
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

it('says of a write that was not waited for that nobody knows, never that it failed (contract 7)', async () => {
  const waiting = raceAbortWrite(never, AbortSignal.abort('enough'));
  await expect(waiting).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN', cause: 'enough', retryable: true });
  await expect(raceAbortWrite(Promise.reject(new Error('refused')), undefined)).rejects.toThrow('refused');
});
