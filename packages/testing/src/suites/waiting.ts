import assert from 'node:assert/strict';
import { systemRuntime } from '@thole/core';
import type { FixedRuntime } from '../fixed-runtime.ts';

const real = systemRuntime();

/** How far the clock goes after the limit, for a store that looked too early: at least its longest pause between looks. */
const MORE_MS = 1_000;
const ROUNDS = 4;

/**
 * Returns the promise's outcome while the test's clock goes on in small steps, by `withinMs`. A pause of real time in each
 * step lets stores answer over a network. On a busy machine the clock can pass the limit before one answer comes. The
 * answers are then waited for, and the clock goes on a little, so that the store looks again.
 */
export async function settles<T>(runtime: FixedRuntime, promise: Promise<T>, withinMs: number): Promise<T> {
  const outcome = watched(promise);
  const step = Math.max(1, Math.ceil(withinMs / 50));
  for (let passed = 0; !outcome.settled && passed < withinMs; passed += step) {
    await runtime.advance(Math.min(step, withinMs - passed));
    if (!outcome.settled) await real.sleep(2);
  }
  for (let round = 0; !outcome.settled && round <= ROUNDS; round++) {
    if (round > 0) await runtime.advance(MORE_MS / ROUNDS);
    for (let i = 0; !outcome.settled && i < (round === 0 ? 1_000 : 250); i++) {
      await runtime.advance(0);
      await real.sleep(1);
    }
  }
  assert.ok(outcome.settled, `nothing came within ${withinMs} ms of the test's clock`);
  return promise;
}

/** Asserts that the promise waits still, after `ms` of the test's clock. */
export async function waits(runtime: FixedRuntime, promise: Promise<unknown>, ms = 0): Promise<void> {
  const outcome = watched(promise);
  await runtime.advance(ms);
  for (let i = 0; i < 3; i++) {
    await real.sleep(1);
    await runtime.advance(0);
  }
  assert.equal(outcome.settled, false, 'it was to wait, but it ended');
}

/** Asserts that the signal is aborted, after `withinMs` of the test's clock at most, and answers its reason. */
export async function aborts(runtime: FixedRuntime, signal: AbortSignal, withinMs = 0): Promise<unknown> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await settles(runtime, aborted, withinMs);
  return signal.reason;
}

function watched(promise: Promise<unknown>): { settled: boolean } {
  const outcome = { settled: false };
  const settle = (): void => void (outcome.settled = true);
  promise.then(settle, settle);
  return outcome;
}
