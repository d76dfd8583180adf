import { assertName } from '@thole/core/kit';
import type { DecodedParams } from '../router.ts';
import type { PathParams } from '../route.ts';

const nameParams: ReadonlySet<string> = new Set(['app', 'user', 'session', 'invocation', 'event', 'id', 'name']);

/** Returns the parameters of a path. Throws `INVALID_INPUT` for a value that cannot be a name (contract 1). */
export function parsePathParams(decoded: DecodedParams): PathParams {
  for (const [param, value] of Object.entries(decoded)) if (nameParams.has(param)) assertName(param, value);
  return { app: '', user: '', session: '', ...decoded };
}
