import { assertCount } from '../errors/assert-count.ts';
import { assertSeconds } from '../errors/assert-seconds.ts';
import { invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { assertName } from './assert-name.ts';
import { parseWaitingCursor, WAITING_PAGE } from './waiting-sessions.ts';
import type { WaitingKind, WaitingRequest } from './waiting-sessions.ts';

const kinds: readonly WaitingKind[] = ['unfinished', 'due', 'interrupts'];

/** Returns the request with its default limit. Throws `INVALID_INPUT` for a wrong value. */
export function checkWaitingRequest(p: WaitingRequest): WaitingRequest & { limit: number } {
  if (typeof p !== 'object' || p === null) throw invalidInput('The request', 'an object with appName and kind', p);
  const { appName, userId, kind, before, limit = WAITING_PAGE, after } = p;
  assertName('appName', appName);
  if (userId !== undefined) assertName('userId', userId);
  if (!kinds.includes(kind)) {
    throw new TholeError('INVALID_INPUT', `kind must be ${kinds.map((each) => `'${each}'`).join(' or ')}.`);
  }
  if (before !== undefined) assertSeconds('before', before);
  assertCount('limit', limit, 1);
  if (after !== undefined) {
    if (typeof after !== 'string') throw invalidInput('after', 'a string', after);
    parseWaitingCursor(after);
  }
  return { appName, userId, kind, before, limit, after };
}
