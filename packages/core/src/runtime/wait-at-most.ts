import type { Runtime } from './runtime.ts';

/** Returns the value of the promise. Returns undefined if the promise is still pending after `ms` milliseconds. It is not stopped. */
export async function waitAtMost<T>(runtime: Runtime, ms: number, promise: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return (await Promise.race([promise, runtime.sleep(ms, done.signal)])) as T | undefined;
  } finally {
    done.abort();
  }
}
