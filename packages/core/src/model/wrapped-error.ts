import { TholeError } from '../errors/thole-error.ts';

const wrapped = Symbol.for('thole.carried-error');

/**
 * Returns an error that wraps the given one, to throw into an SDK. SDKs search messages for words such as "timeout", which a
 * provider's text may contain, and would then throw their own error.
 */
export function wrapError(error: TholeError): Error {
  return Object.defineProperty(new Error('There is no answer.'), wrapped, { value: error });
}

/** Returns the first `TholeError` in a chain of causes, also a wrapped one. Undefined if there is none. */
export function findWrapped(error: unknown): TholeError | undefined {
  let each = error;
  for (let depth = 0; depth < 5 && typeof each === 'object' && each !== null; depth++) {
    if (TholeError.is(each)) return each;
    const found = (each as { [wrapped]?: unknown })[wrapped];
    if (TholeError.is(found)) return found;
    each = (each as { cause?: unknown }).cause;
  }
  return undefined;
}
