import { TholeError } from '@thole/core';

const codes = ['SESSION_BUSY', 'LEASE_LOST', 'STORE_UNAVAILABLE', 'STORE_OUTCOME_UNKNOWN'];

/** True for errors of a store that may end by themselves: the call is repeated later. */
export function isTemporary(error: unknown): boolean {
  return TholeError.is(error) && codes.includes(error.code);
}
