import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';
import type { HandlerOptions } from './handler-options.ts';

/** An `authorize` that lets in whoever shows the token (`Authorization: Bearer …`), for every app and user; others get 401. */
export function bearerToken(token: string): NonNullable<HandlerOptions['authorize']> {
  if (typeof token !== 'string' || token === '') throw invalidInput('token', 'a string that is not empty', token);
  const expected = digest(token);
  return async (request) => {
    const [scheme, shown] = (request.headers.get('authorization') ?? '').split(' ', 2);
    if (scheme?.toLowerCase() === 'bearer' && shown && equal(await digest(shown), await expected)) return true;
    throw new TholeError(
      'UNAUTHENTICATED',
      'The request must show a bearer token: send the header Authorization: Bearer <token>.',
    );
  };
}

// Digests have one length, and comparing them tells nothing about the token.
async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0;
  for (const [i, byte] of a.entries()) difference |= byte ^ b[i]!;
  return difference === 0;
}
