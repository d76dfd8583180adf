import { TholeError } from '@thole/core';

/** Returns the error for an invalid URI. The sentence names the URI but never contains it: it may contain a password. */
export function invalidUri(sentence: string): TholeError {
  return new TholeError('INVALID_INPUT', sentence);
}
