import { TholeError } from '@thole/core';
import { assertSessionRef } from '@thole/core/kit';
import type { SessionRef } from '@thole/core';
import { findRunner } from '../http/find-runner.ts';
import type { RouteCall } from '../route.ts';

/**
 * Creates the session that a client names if it does not exist. Throws `INVALID_INPUT` for an id that cannot be a name, and
 * before the session is stored `SERVER_BUSY` and the error of `deps`. Concurrent requests may call it for the same session.
 */
export async function ensureSession(
  { context, request }: Pick<RouteCall, 'context' | 'request'>,
  ref: SessionRef,
): Promise<void> {
  assertSessionRef(ref);
  const { sessionService } = findRunner(context, ref.appName);
  if (await sessionService.getSession({ ...ref, numRecentEvents: 0 })) return;
  context.runs.assertCapacity();
  await context.deps?.(request, { appName: ref.appName, userId: ref.userId });
  try {
    await sessionService.createSession(ref);
  } catch (error) {
    if (!TholeError.is(error, 'SESSION_ALREADY_EXISTS')) throw error;
  }
}
