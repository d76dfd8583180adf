import type { FixedRuntime } from '@thole/testing';

/** Moves the clock of a runtime until a call over a real connection has ended. Returns its result. */
export async function passTime<T>(runtime: FixedRuntime, call: Promise<T>): Promise<T> {
  let hasEnded = false;
  const end = (): void => void (hasEnded = true);
  call.then(end, end);
  while (!hasEnded) {
    await new Promise((resolve) => void setTimeout(resolve, 5));
    await runtime.advance(500);
  }
  return call;
}
