import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';
import type { HandlerOptions } from './handler-options.ts';

/**
 * Returns an `authorize` that accepts requests with this bearer token, for every app and user. Other requests are answered with
 * 401. Throws `INVALID_INPUT` for an empty token.
 */
export function bearerToken(token: string): NonNullable<HandlerOptions['authorize']> {
  if (typeof token !== 'string' || token === '') throw invalidInput('token', 'a string that is not empty', token);
  const expected = digest(token);
  return async (request) => {
    const [scheme, received] = (request.headers.get('authorization') ?? '').split(' ', 2);
    if (scheme?.toLowerCase() === 'bearer' && received && isEqual(await digest(received), await expected)) return true;
    throw new TholeError(
      'UNAUTHENTICATED',
      'The request must have a bearer token: send the header Authorization: Bearer <token>.',
    );
  };
}

// Digests are compared, because they have the same length: the duration of the comparison does not depend on the token.
async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0;
  for (const [i, byte] of a.entries()) difference |= byte ^ b[i]!;
  return difference === 0;
}
