import { invalidInput } from '../errors/invalid-input.ts';

/** Throws `INVALID_INPUT` unless the value is a model name. `owner` is the class for the message. */
export function assertModelName(model: unknown, owner: string): asserts model is string {
  if (typeof model !== 'string' || model === '')
    throw invalidInput(`model of ${owner}`, 'a string that is not empty', model);
}
