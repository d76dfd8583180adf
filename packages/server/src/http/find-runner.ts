import { TholeError } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { HandlerContext } from '../handler-context.ts';

/** Returns the runner of an app. Throws `NOT_FOUND` for an unknown name. */
export function findRunner({ runners }: HandlerContext, appName: string): Runner {
  const runner = runners.get(appName);
  if (!runner) throw new TholeError('NOT_FOUND', `There is no app ${appName}.`);
  return runner;
}
