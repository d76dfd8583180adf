import { TholeError } from '@thole/core';
import type { HandlerOptions, Identity } from '../handler-options.ts';

/** Throws what answers a request that may not act for this identity: an error, or the Response that a hook made. */
export async function permit(
  hooks: Pick<HandlerOptions, 'authorize' | 'rateLimit'>,
  request: Request,
  identity: Identity,
): Promise<void> {
  if (hooks.authorize) {
    const may = await hooks.authorize(request, identity);
    if (typeof may === 'object') throw may;
    if (may !== true) throw new TholeError('FORBIDDEN', 'The request may not act for this app and user.');
  }
  if (hooks.rateLimit) {
    const may = await hooks.rateLimit(request, identity);
    if (may === true) return;
    if (typeof may === 'object' && !('retryAfterMs' in may)) throw may;
    const retryAfterMs = typeof may === 'object' ? may.retryAfterMs : undefined;
    throw new TholeError('RATE_LIMITED', 'Too many requests.', { retryAfterMs });
  }
}
