import { ClientError } from '@thole/client';
import type { Json } from '@thole/core';
import { parseAnswerIssues } from '@thole/core/kit';
import type { FieldProblems } from './read-fields.ts';
import type { RequestAnswer } from './request-drafts.ts';
import { objectOf } from './request-state.ts';

/**
 * Returns the problems in an error of the server, by request and field. The map is empty if the error does not belong to a
 * request.
 */
export function findProblems(error: unknown, sent: readonly RequestAnswer[]): ReadonlyMap<string, FieldProblems> {
  const problems = new Map<string, FieldProblems>();
  if (!ClientError.is(error)) return problems;
  for (const answer of sent.filter((each) => isAbout(error, each, sent)))
    problems.set(answer.interrupt.id, toProblems(error.detail, answer));
  return problems;
}

function isAbout({ code, detail }: ClientError, answer: RequestAnswer, sent: readonly RequestAnswer[]): boolean {
  const isNamed = ({ interrupt }: RequestAnswer): boolean => detail.includes(`"${interrupt.id}"`);
  if (sent.some(isNamed)) return isNamed(answer);
  if (code === 'ARGUMENTS_NOT_EDITABLE' || code === 'ANSWER_INVALID') return hasEdits(answer.value);
  if (code?.startsWith('SIGN_IN_') || code?.startsWith('CREDENTIAL_')) return answer.interrupt.kind === 'credential';
  return sent.length === 1 && code?.startsWith('INTERRUPT_') === true;
}

/** Assigns the issues of a schema to their fields. */
function toProblems(sentence: string, answer: RequestAnswer): FieldProblems {
  if (hasEdits(answer.value)) return { arguments: sentence };
  const issues = parseAnswerIssues(sentence);
  if (issues === undefined) return { '': sentence };
  const problems: Record<string, string> = {};
  for (const issue of issues) {
    const path = answer.paths.find((each) => each !== '' && issue.startsWith(`${each}: `)) ?? '';
    const text = path === '' ? issue : issue.slice(path.length + 2);
    problems[path] = problems[path] === undefined ? sentenceOf(text) : `${problems[path]} ${sentenceOf(text)}`;
  }
  return problems;
}

const hasEdits = (value: Json): boolean => objectOf(value)?.['editedArguments'] !== undefined;

const sentenceOf = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
