import type { Interrupt } from './interrupt.ts';

const SEPARATOR = '; ';
const START = 'does not fit the schema of the request: ';
const END = '. The interrupt stays open.';

/**
 * Returns the message of the error `ANSWER_INVALID` for an answer that does not fit the schema of its request. Each issue
 * has the form `path: problem`, or is only the problem. `parseAnswerIssues` reads the message.
 */
export function formatAnswerIssues({ id, kind }: Pick<Interrupt, 'id' | 'kind'>, issues: readonly string[]): string {
  return `The answer to ${kind} "${id}" ${START}${issues.join(SEPARATOR)}${END}`;
}

/** Returns the issues in a message of `formatAnswerIssues`. Undefined for any other message. */
export function parseAnswerIssues(message: string): string[] | undefined {
  const start = message.indexOf(START);
  if (start < 0 || !message.endsWith(END)) return undefined;
  return message.slice(start + START.length, -END.length).split(SEPARATOR);
}
