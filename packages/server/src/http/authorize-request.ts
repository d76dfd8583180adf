import { TholeError } from '@thole/core';
import { assertName } from '@thole/core/kit';
import type { Authorized, HandlerOptions, Identity } from '../handler-options.ts';
import { isResponse } from './is-response.ts';

/** The names that `authorize` returns. Both are undefined if it returns true. */
interface AuthorizedNames {
  readonly userId?: string | undefined;
  readonly answeredBy?: string | undefined;
}

/**
 * Calls `authorize` and `rateLimit`. Returns the names that `authorize` returns. Throws an error, or the hook's `Response`, if the
 * request is rejected.
 */
export async function authorizeRequest(
  hooks: Pick<HandlerOptions, 'authorize' | 'rateLimit'>,
  request: Request,
  identity: Identity,
): Promise<AuthorizedNames> {
  const names: AuthorizedNames = hooks.authorize ? namesIn(await hooks.authorize(request, identity)) : {};
  if (!hooks.rateLimit) return names;
  const { userId } = names;
  const result = await hooks.rateLimit(request, userId === undefined ? identity : { ...identity, userId });
  if (result === true) return names;
  if (typeof result === 'object' && !('retryAfterMs' in result)) throw result;
  const retryAfterMs = typeof result === 'object' ? result.retryAfterMs : undefined;
  throw new TholeError('RATE_LIMITED', 'Too many requests.', { retryAfterMs });
}

function namesIn(result: boolean | Response | Authorized): AuthorizedNames {
  if (isResponse(result)) throw result;
  if (result === true) return {};
  // A member that is present but undefined is an error of the hook, and must not accept the request for every user.
  if (typeof result === 'object' && result !== null && ('userId' in result || 'answeredBy' in result)) {
    const { userId, answeredBy }: AuthorizedNames = result;
    if ('userId' in result) assertName('The userId that authorize returns', userId);
    if (answeredBy !== undefined || userId === undefined)
      assertName('The answeredBy that authorize returns', answeredBy);
    return { userId, answeredBy };
  }
  throw new TholeError('FORBIDDEN', 'The request may not act for this app and user.');
}
