import { describeError } from './describe-error.ts';
import type { ErrorDescription } from './describe-error.ts';

/**
 * Returns an error as one line: its code or name, its message and its causes. With `verbose` the stack follows on
 * separate lines. Control characters are removed, so that the text is safe for a terminal.
 */
export function errorText(error: unknown, p: { verbose?: boolean | undefined } = {}): string {
  return descriptionText(describeError(error), p.verbose ?? false);
}

/** Returns the text of a description. */
export function descriptionText({ message, causes, stack }: ErrorDescription, verbose: boolean): string {
  const line = toOneLine([message, ...causes].join(' < caused by: '));
  // A message of several lines must not look like other entries of the log.
  return verbose && stack !== undefined ? `${line}\n${withoutControls(stack).replaceAll(/^(?=\S)/gm, '    ')}` : line;
}

const MAX_LENGTH = 2_000;

/** Returns a text on one line without control characters, cut after 2,000 characters. */
export function toOneLine(text: string): string {
  const line = withoutControls(text.replaceAll(/\s+/gu, ' ')).trim();
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH).toWellFormed()}…`;
}

function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
}
