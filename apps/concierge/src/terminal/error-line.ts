import { errorText } from '@thole/server';

/** Returns an error on one line: its code or name, its sentence and its causes; with `verbose` its stack below. */
export function errorLine(error: unknown, p: { verbose?: boolean | undefined } = {}): string {
  return `! ${errorText(error, p)}`;
}
