import { TholeError } from '@thole/core';

/** Returns the text of a column. Some drivers return it as bytes. */
export function columnText(value: unknown): string {
  return typeof value === 'string' ? value : new TextDecoder().decode(value as Uint8Array);
}

/** Returns the text of a column, or undefined if the column is NULL. */
export function columnTextOrUndefined(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : columnText(value);
}

/**
 * Returns the value that `parse` reads from a stored text. Throws `STORE_VERSION` if the text is not valid, for example after
 * another codec has encoded it. The error of the parser is not its cause, because it contains a part of the text.
 */
export function parseStored<T>(record: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch {
    throw new TholeError('STORE_VERSION', `${record} cannot be read: another codec or version wrote it.`);
  }
}
