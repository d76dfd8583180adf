import { isPlainObject } from '../json/find-non-json.ts';
import { invalidInput } from './invalid-input.ts';
import { didYouMean } from './suggest-name.ts';
import { TholeError } from './thole-error.ts';

/** `INVALID_INPUT` for options that are no object, and for one that nobody would read: a misspelt option must not be silent. */
export function rejectUnknownOptions(options: unknown, known: readonly string[], where: string): void {
  if (!isPlainObject(options)) throw invalidInput(`What ${where} is made with`, 'an object', options);
  for (const name of Object.keys(options)) {
    if (!known.includes(name))
      throw new TholeError('INVALID_INPUT', `${where} has no option ${name}.${didYouMean(name, known)}`);
  }
}
