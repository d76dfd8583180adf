import { isPlainObject } from '../json/find-non-json.ts';
import { invalidInput } from './invalid-input.ts';
import { didYouMean } from './suggest-name.ts';
import { TholeError } from './thole-error.ts';

/**
 * Throws `INVALID_INPUT` for options that are not an object and for unknown option names, so that a misspelt option
 * is not ignored.
 */
export function rejectUnknownOptions(options: unknown, known: readonly string[], where: string): void {
  if (!isPlainObject(options)) throw invalidInput(`Options of ${where}`, 'an object', options);
  for (const name in options) {
    if (!known.includes(name))
      throw new TholeError('INVALID_INPUT', `${where} has no option ${name}.${didYouMean(name, known)}`);
  }
}
