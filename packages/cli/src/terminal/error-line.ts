import { TholeError } from '@thole/core';
import { errorText } from '@thole/server';
import { oneLine } from './plain-text.ts';

const LENGTH = 1_000;

/**
 * Returns an error on one line: its sentence and its causes. The sentence of `INVALID_INPUT` says what to change, so that its causes
 * are left out. With `verbose` the stack follows on lines of its own.
 */
export function errorLine(error: unknown, p: { verbose?: boolean | undefined } = {}): string {
  if (TholeError.is(error, 'INVALID_INPUT') && !p.verbose) return oneLine(error.message, LENGTH);
  const text = errorText(error, p);
  const kind = TholeError.is(error) ? error.code : error instanceof Error ? error.name : '';
  return text.startsWith(`${kind}: `) ? text.slice(kind.length + 2) : text;
}

/** The same with the error's code or name in front: for the middle of a conversation. */
export function codedLine(error: unknown, p: { verbose?: boolean | undefined } = {}): string {
  return `! ${errorText(error, p)}`;
}
