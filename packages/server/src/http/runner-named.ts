import { TholeError } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { HandlerContext } from '../handler-context.ts';

/** The app's runner; `NOT_FOUND` for a name that is not served. */
export function runnerNamed(house: HandlerContext, appName: string): Runner {
  const runner = house.runners.get(appName);
  if (!runner) throw new TholeError('NOT_FOUND', `There is no app ${appName}.`);
  return runner;
}
