import type { Agent, App } from '@thole/core';
import type {} from 'vitest';
import type { Recording } from '../recording.ts';
import { replayRun } from '../replay-run.ts';
import type { ReplayOptions } from '../replay-run.ts';

declare module 'vitest' {
  // The type parameters must be those of vitest.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** Passes if the app or agent behaves as in the recording. Must be awaited. */
    toReplay(file: string | Recording, options?: ReplayOptions): Promise<void>;
  }
}

/**
 * The matcher of `await expect(app).toReplay('trip.json')`, for `expect.extend({ toReplay })`. Fails with the first
 * difference.
 */
export async function toReplay(
  app: App | Agent,
  file: string | Recording,
  options?: ReplayOptions,
): Promise<{ pass: boolean; message: () => string }> {
  const { equal, text } = await replayRun(file, app, options);
  return { pass: equal, message: () => (equal ? `Expected a difference. ${text}` : text) };
}
