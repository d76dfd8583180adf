import { assertName } from '@thole/core/kit';
import type { Names } from '../route.ts';

const ids: ReadonlySet<string> = new Set(['app', 'user', 'session', 'invocation', 'event', 'id', 'name']);

/** What a path names, decoded. `INVALID_INPUT` for what no name can be (contract 1). */
export function checkedNames(decoded: { readonly [name: string]: string }): Names {
  for (const [name, value] of Object.entries(decoded)) if (ids.has(name)) assertName(name, value);
  return { app: '', user: '', session: '', ...decoded };
}
