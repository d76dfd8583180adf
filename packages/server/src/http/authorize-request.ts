import { TholeError } from '@thole/core';
import { assertName } from '@thole/core/kit';
import type { HandlerOptions, Identity } from '../handler-options.ts';
import { isResponse } from './is-response.ts';

/**
 * Calls `authorize` and `rateLimit`. Returns the user that `authorize` returns, or undefined if it returns true. Throws an error,
 * or the hook's `Response`, if the request is rejected.
 */
export async function authorizeRequest(
  hooks: Pick<HandlerOptions, 'authorize' | 'rateLimit'>,
  request: Request,
  identity: Identity,
): Promise<string | undefined> {
  const userId = hooks.authorize && userIn(await hooks.authorize(request, identity));
  if (!hooks.rateLimit) return userId;
  const result = await hooks.rateLimit(request, userId === undefined ? identity : { ...identity, userId });
  if (result === true) return userId;
  if (typeof result === 'object' && !('retryAfterMs' in result)) throw result;
  const retryAfterMs = typeof result === 'object' ? result.retryAfterMs : undefined;
  throw new TholeError('RATE_LIMITED', 'Too many requests.', { retryAfterMs });
}

function userIn(result: boolean | Response | { userId: string }): string | undefined {
  if (isResponse(result)) throw result;
  if (typeof result === 'object' && result !== null && 'userId' in result) {
    assertName('The userId that authorize returns', result.userId);
    return result.userId;
  }
  if (result === true) return undefined;
  throw new TholeError('FORBIDDEN', 'The request may not act for this app and user.');
}
