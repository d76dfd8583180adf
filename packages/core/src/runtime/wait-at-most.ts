import type { Runtime } from './runtime.ts';

/** Returns the value of the promise. Returns undefined if the promise is still pending after `ms` milliseconds. It is not stopped. */
export async function waitAtMost<T>(runtime: Runtime, ms: number, promise: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  const limit = runtime.sleep(ms, done.signal).catch(() => {});
  try {
    return (await Promise.race([promise, limit])) as T | undefined;
  } finally {
    done.abort();
  }
}
