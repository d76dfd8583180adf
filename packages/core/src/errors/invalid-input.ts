import { typeName } from '../json/find-non-json.ts';
import type { JsonProblem } from '../json/find-non-json.ts';
import { TholeError } from './thole-error.ts';

/** `INVALID_INPUT` that names the argument, what was expected, and the type (never the value) of what came. */
export function invalidInput(argument: string, expected: string, value: unknown): TholeError {
  return new TholeError('INVALID_INPUT', `${argument} must be ${expected}, but it is ${typeName(value)}.`);
}

/** Ends a copy of something that is not JSON; given to `JsonCopier`. */
export function failInvalidJson(found: JsonProblem): never {
  throw new TholeError('INVALID_INPUT', `${found.path} must be JSON, but it ${found.problem}.`, {
    details: { path: found.path },
  });
}
