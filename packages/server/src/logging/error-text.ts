import { describeError } from './describe-error.ts';
import type { ErrorDescription } from './describe-error.ts';

/**
 * Returns an error as one line: its code or name, its message and its causes. With `verbose` the stack follows on lines of its own.
 * Control characters are left out, so that the text is safe for a terminal.
 */
export function errorText(error: unknown, p: { verbose?: boolean | undefined } = {}): string {
  return describedText(describeError(error), p.verbose ?? false);
}

/** The same for a description. */
export function describedText({ message, causes, stack }: ErrorDescription, verbose: boolean): string {
  const line = onOneLine([message, ...causes].join(' < caused by: '));
  return verbose && stack !== undefined ? `${line}\n${withoutControls(stack)}` : line;
}

const LENGTH = 2_000;

/** Text on one line without control characters, cut after 2,000 characters. */
export function onOneLine(text: string): string {
  const line = withoutControls(text.replaceAll(/\s+/gu, ' ')).trim();
  return line.length <= LENGTH ? line : `${line.slice(0, LENGTH).toWellFormed()}…`;
}

function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
}
