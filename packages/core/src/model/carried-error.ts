import { TholeError } from '../errors/thole-error.ts';

const carried = Symbol.for('thole.carried-error');

/**
 * An error to throw into an SDK in the place of ours: SDKs look into messages, and one that tells of a time-out, as a provider's
 * words may, would have ours replaced by an error of theirs.
 */
export function carry(error: TholeError): Error {
  return Object.defineProperty(new Error('There is no answer.'), carried, { value: error });
}

/** The error of ours that stands, or is carried, somewhere in a chain of causes. */
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
