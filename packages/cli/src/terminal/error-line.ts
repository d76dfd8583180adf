import { inspect } from 'node:util';
import { TholeError } from '@thole/core';
import { oneLine, plainText } from './plain-text.ts';

const LENGTH = 1_000;

/** An error in one sentence; with `verbose` its stack and causes follow on lines of their own. */
export function errorLine(error: unknown, p: { verbose?: boolean | undefined } = {}): string {
  const sentence = oneLine(error instanceof Error ? error.message || error.name : String(error), LENGTH);
  return p.verbose ? `${sentence}\n${plainText(inspect(error))}` : sentence;
}

/** The same with the error's code before it, where it has one: for the middle of a conversation. */
export function codedLine(error: unknown): string {
  return `! ${TholeError.is(error) ? `${error.code}: ` : ''}${errorLine(error)}`;
}
