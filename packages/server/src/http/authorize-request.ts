import { TholeError } from '@thole/core';
import type { HandlerOptions, Identity } from '../handler-options.ts';

/** Calls `authorize` and `rateLimit`. Throws an error, or the hook's `Response`, if the request is rejected. */
export async function authorizeRequest(
  hooks: Pick<HandlerOptions, 'authorize' | 'rateLimit'>,
  request: Request,
  identity: Identity,
): Promise<void> {
  if (hooks.authorize) {
    const result = await hooks.authorize(request, identity);
    if (typeof result === 'object') throw result;
    if (result !== true) throw new TholeError('FORBIDDEN', 'The request may not act for this app and user.');
  }
  if (hooks.rateLimit) {
    const result = await hooks.rateLimit(request, identity);
    if (result === true) return;
    if (typeof result === 'object' && !('retryAfterMs' in result)) throw result;
    const retryAfterMs = typeof result === 'object' ? result.retryAfterMs : undefined;
    throw new TholeError('RATE_LIMITED', 'Too many requests.', { retryAfterMs });
  }
}
