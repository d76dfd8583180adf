import assert from 'node:assert/strict';
import { systemRuntime } from '@thole/core';
import type { FixedRuntime } from '../fixed-runtime.ts';

const real = systemRuntime();

/** Time that the clock moves after the limit, in milliseconds: at least the longest pause between two polls of a store. */
const EXTRA_MS = 1_000;
const ROUNDS = 4;

/**
 * Returns the outcome of the promise. Moves the test's clock in small steps, by `withinMs` in total. A pause of real time in
 * each step lets stores answer over a network. On a busy machine the clock can reach the limit before an answer arrives.
 * Then this function waits for answers, and moves the clock by up to one more second, so that the store polls again.
 */
export async function settlesWithin<T>(runtime: FixedRuntime, promise: Promise<T>, withinMs: number): Promise<T> {
  const outcome = observe(promise);
  const step = Math.max(1, Math.ceil(withinMs / 50));
  for (let passed = 0; !outcome.settled && passed < withinMs; passed += step) {
    await runtime.advance(Math.min(step, withinMs - passed));
    if (!outcome.settled) await real.sleep(2);
  }
  for (let round = 0; !outcome.settled && round <= ROUNDS; round++) {
    if (round > 0) await runtime.advance(EXTRA_MS / ROUNDS);
    for (let i = 0; !outcome.settled && i < (round === 0 ? 1_000 : 250); i++) {
      await runtime.advance(0);
      await real.sleep(1);
    }
  }
  assert.ok(outcome.settled, `the promise did not settle within ${withinMs} ms of the test's clock`);
  return promise;
}

/** Asserts that the promise is pending after `ms` milliseconds of the test's clock. */
export async function staysPending(runtime: FixedRuntime, promise: Promise<unknown>, ms = 0): Promise<void> {
  const outcome = observe(promise);
  await runtime.advance(ms);
  for (let i = 0; i < 3; i++) {
    await real.sleep(1);
    await runtime.advance(0);
  }
  assert.equal(outcome.settled, false, 'the promise settled, but it must be pending');
}

/** Asserts that the signal is aborted within `withinMs` milliseconds of the test's clock, and returns its reason. */
export async function abortsWithin(runtime: FixedRuntime, signal: AbortSignal, withinMs = 0): Promise<unknown> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await settlesWithin(runtime, aborted, withinMs);
  return signal.reason;
}

function observe(promise: Promise<unknown>): { settled: boolean } {
  const outcome = { settled: false };
  const settle = (): void => void (outcome.settled = true);
  promise.then(settle, settle);
  return outcome;
}
