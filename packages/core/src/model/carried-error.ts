import { TholeError } from '../errors/thole-error.ts';

const carried = Symbol.for('thole.carried-error');

/**
 * Returns an error to throw into an SDK instead of the given one. SDKs read messages: one that mentions a timeout,
 * as a provider's text may, would make the SDK throw its own error.
 */
export function carry(error: TholeError): Error {
  return Object.defineProperty(new Error('There is no answer.'), carried, { value: error });
}

/** Returns the `TholeError` in a chain of causes, itself or carried. Undefined if there is none. */
export function findCarried(error: unknown): TholeError | undefined {
  let each = error;
  for (let depth = 0; depth < 5 && typeof each === 'object' && each !== null; depth++) {
    if (TholeError.is(each)) return each;
    const found = (each as { [carried]?: unknown })[carried];
    if (TholeError.is(found)) return found;
    each = (each as { cause?: unknown }).cause;
  }
  return undefined;
}
