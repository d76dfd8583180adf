import { TholeError } from '@thole/core';
import { assertCount, assertName, assertSeconds, invalidInput } from '@thole/core/kit';
import type { PruneRequest } from './prune-events.ts';

/** Throws `INVALID_INPUT` if the request has no limit, an invalid value, or a `userId` or `sessionId` without its owner. */
export function assertPruneRequest(p: PruneRequest): void {
  const request: unknown = p;
  if (typeof request !== 'object' || request === null) throw invalidInput('The request', 'an object', request);
  const { olderThan, keepLast, appName, userId, sessionId } = p;
  if (olderThan === undefined && keepLast === undefined) {
    throw new TholeError('INVALID_INPUT', 'pruneEvents needs olderThan, keepLast or both.');
  }
  if (olderThan !== undefined) assertSeconds('olderThan', olderThan);
  if (keepLast !== undefined) assertCount('keepLast', keepLast);
  if (appName !== undefined) assertName('appName', appName);
  if (userId !== undefined) assertName('userId', userId);
  if (sessionId !== undefined) assertName('sessionId', sessionId);
  if ((userId !== undefined && appName === undefined) || (sessionId !== undefined && userId === undefined)) {
    throw new TholeError('INVALID_INPUT', 'userId needs appName, and sessionId needs appName and userId.');
  }
}
