import { TholeError } from '@thole/core';
import { scopeOf } from '@thole/core/kit';
import type { StateDelta } from '@thole/core';
import type { HandlerContext } from '../handler-context.ts';

/** Throws `FORBIDDEN` for state in a scope that clients may not write. `temp:` state is always allowed. */
export function assertWritableState(
  delta: StateDelta,
  { clientMayWrite }: Pick<HandlerContext, 'clientMayWrite'>,
): void {
  for (const key of Object.keys(delta)) {
    const scope = scopeOf(key);
    if (scope === 'temp' || clientMayWrite.has(scope)) continue;
    throw new TholeError('FORBIDDEN', `Clients may not write ${scope} state.`);
  }
}
