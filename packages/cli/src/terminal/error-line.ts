import { TholeError } from '@thole/core';
import { errorText } from '@thole/server';
import { oneLine } from './plain-text.ts';

const MAX_LENGTH = 1_000;

/**
 * Returns an error on one line: its message and its causes. The causes of `INVALID_INPUT` are left out, because its message
 * contains the correction, and those of `explainLoadError`, because its message contains them. With `verbose` the stack follows on
 * separate lines.
 */
export function errorLine(error: unknown, p: { verbose?: boolean | undefined } = {}): string {
  const isComplete =
    TholeError.is(error, 'INVALID_INPUT') || (TholeError.is(error) && error.details?.['containsCauses'] === true);
  if (isComplete && !p.verbose) return oneLine(error.message, MAX_LENGTH);
  const text = errorText(error, p);
  const prefix = TholeError.is(error) ? error.code : error instanceof Error ? error.name : '';
  return text.startsWith(`${prefix}: `) ? text.slice(prefix.length + 2) : text;
}

/**
 * Returns an error on one line, for errors in a chat: its code or name, its message and its causes. With `verbose` the stack
 * follows on separate lines.
 */
export function codedLine(error: unknown, p: { verbose?: boolean | undefined } = {}): string {
  return `! ${errorText(error, p)}`;
}
