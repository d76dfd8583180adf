import { TholeError } from '@thole/core';
import {
  assertCount,
  assertSeconds,
  assertName,
  invalidInput,
  isPlainObject,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { PruneRequest } from './prune-events.ts';

const names = optionNames<PruneRequest>({
  olderThan: true,
  keepLast: true,
  appName: true,
  userId: true,
  sessionId: true,
});

/** Throws `INVALID_INPUT` if the request has no limit, an unknown or invalid member, or a `userId` or `sessionId` without its owner. */
export function assertPruneRequest(p: PruneRequest): void {
  const request: unknown = p;
  if (!isPlainObject(request)) throw invalidInput('The request', 'an object', request);
  // A misspelt member would delete more than the caller selects.
  rejectUnknownOptions(p, names, 'pruneEvents');
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
