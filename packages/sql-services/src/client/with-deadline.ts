import type { Runtime } from '@thole/core';

/** The promise's value, or what `late` makes where the runtime's monotonic clock reaches the deadline before; the promise is let go. */
export async function withDeadline<T>(
  runtime: Runtime,
  deadline: number,
  promise: Promise<T>,
  late: () => unknown,
): Promise<T> {
  const done = new AbortController();
  const ending = runtime.sleep(Math.max(0, deadline - runtime.monotonic()), done.signal).then(() => {
    throw late();
  });
  try {
    return await Promise.race([promise, ending]);
  } finally {
    ending.catch(() => {});
    done.abort();
  }
}
