import { TholeError } from '@thole/core';
import { assertSessionRef } from '@thole/core/kit';
import type { SessionRef } from '@thole/core';
import type { Runner } from '@thole/runner';

/**
 * Creates the session that a client names if it does not exist. Throws `INVALID_INPUT` for an id that cannot be a name.
 * Concurrent requests may call it for the same session.
 */
export async function ensureSession({ sessionService }: Runner, ref: SessionRef): Promise<void> {
  assertSessionRef(ref);
  if (await sessionService.getSession({ ...ref, numRecentEvents: 0 })) return;
  try {
    await sessionService.createSession(ref);
  } catch (error) {
    if (!TholeError.is(error, 'SESSION_ALREADY_EXISTS')) throw error;
  }
}
