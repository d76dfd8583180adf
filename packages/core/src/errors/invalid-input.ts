import { typeName } from '../json/find-non-json.ts';
import type { JsonProblem } from '../json/find-non-json.ts';
import { TholeError } from './thole-error.ts';

/**
 * Returns an `INVALID_INPUT` error that names the argument, the expectation and the type of the value, never the
 * value.
 */
export function invalidInput(argument: string, expected: string, value: unknown): TholeError {
  return new TholeError('INVALID_INPUT', `${argument} must be ${expected}, got ${typeName(value)}.`);
}

/** Throws `INVALID_INPUT` for a value that is not JSON. Passed to `JsonCopier`. */
export function failInvalidJson(found: JsonProblem): never {
  throw new TholeError('INVALID_INPUT', `${found.path} must be JSON, but it ${found.problem}.`, {
    details: { path: found.path },
  });
}
