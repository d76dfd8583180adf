import { TholeError } from '@thole/core';
import { oneLine } from './plain-text.ts';

const LENGTH = 300;

/** An error on one line: its code where it has one, and what it says. */
export function errorLine(error: unknown): string {
  if (TholeError.is(error)) return `! ${error.code}: ${oneLine(error.message, LENGTH)}`;
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  return `! ${name}: ${oneLine(message, LENGTH)}`;
}
