import { TholeError } from '@thole/core';
import { assertCount, assertName, invalidInput } from '@thole/core/kit';
import type { PruneRequest } from './prune-events.ts';

/** `INVALID_INPUT` for a request without a limit, with names that are none, or with a name whose owner is not told. */
export function assertPruneRequest(p: PruneRequest): void {
  const given: unknown = p;
  if (typeof given !== 'object' || given === null) throw invalidInput('The request', 'an object', given);
  const { olderThan, keepLast, appName, userId, sessionId } = p;
  if (olderThan === undefined && keepLast === undefined) {
    throw new TholeError('INVALID_INPUT', 'pruneEvents needs olderThan, keepLast or both.');
  }
  if (olderThan !== undefined && !Number.isFinite(olderThan)) {
    throw invalidInput('olderThan', 'a number of seconds', olderThan);
  }
  if (keepLast !== undefined) assertCount('keepLast', keepLast);
  if (appName !== undefined) assertName('appName', appName);
  if (userId !== undefined) assertName('userId', userId);
  if (sessionId !== undefined) assertName('sessionId', sessionId);
  if ((userId !== undefined && appName === undefined) || (sessionId !== undefined && userId === undefined)) {
    throw new TholeError('INVALID_INPUT', 'A userId goes with its appName, a sessionId with both.');
  }
}
