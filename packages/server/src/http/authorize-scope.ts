import { TholeError } from '@thole/core';
import type { HandlerContext } from '../handler-context.ts';
import type { ScopeIdentity } from '../handler-options.ts';

/**
 * Calls `authorizeScope`. Throws an error, or the hook's `Response`, if the request may not use a shared memory.
 * Without the hook, a handler with `authorize` rejects all requests for shared memory.
 */
export async function authorizeScope(
  { hasAuthorize, authorizeScope: hook }: Pick<HandlerContext, 'hasAuthorize' | 'authorizeScope'>,
  request: Request,
  identity: ScopeIdentity,
): Promise<void> {
  if (!hook) {
    if (!hasAuthorize) return;
    throw new TholeError('FORBIDDEN', 'Clients may not use shared memory: the server has no authorizeScope.');
  }
  const result = await hook(request, identity);
  if (typeof result === 'object') throw result;
  if (result !== true) throw new TholeError('FORBIDDEN', 'The request may not use the memory of this team or agent.');
}
