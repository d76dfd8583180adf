import { invalidInput } from '../errors/invalid-input.ts';

/** Returns the answer of a `toolFilter`. A promise would count as true, and offer a tool that the filter rejects. */
export function filterResult(isOffered: unknown): boolean {
  if (typeof (isOffered as { then?: unknown } | null | undefined)?.then === 'function')
    throw invalidInput('The result of toolFilter', 'true or false', isOffered);
  return Boolean(isOffered);
}
