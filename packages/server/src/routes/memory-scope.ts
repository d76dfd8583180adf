import type { MemoryRef } from '@thole/core';
import { assertSharedScope } from '@thole/core/kit';
import { z } from 'zod';
import type { ZodType } from 'zod';
import { authorizeScope } from '../http/authorize-scope.ts';
import type { RouteCall } from '../route.ts';

/** The query parameters of a shared scope: `team`, `agent` or both. */
export const scopeQuery: {
  readonly team: ZodType<string | undefined>;
  readonly agent: ZodType<string | undefined>;
} = { team: z.string().optional(), agent: z.string().optional() };

/**
 * Returns the memory that a request names: the user's, a team's or an agent's. Throws `FORBIDDEN` if the request may not use a
 * shared memory, and `INVALID_INPUT` for an invalid name.
 */
export async function memoryRefOf({
  context,
  params,
  query: { team, agent },
  request,
}: RouteCall<unknown, { team?: string | undefined; agent?: string | undefined }>): Promise<MemoryRef> {
  const user = { appName: params.app, userId: params.user };
  if (team === undefined && agent === undefined) return user;
  const scope = { ...(team !== undefined && { team }), ...(agent !== undefined && { agent }) };
  assertSharedScope(scope, 'query');
  await authorizeScope(context, request, { ...user, scope });
  return { ...user, scope };
}
