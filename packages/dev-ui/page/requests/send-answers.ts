import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { Json } from '@thole/core';
import type { RecordedInterrupt } from '@thole/core/kit';
import { answerRequests } from '../state/run-actions.ts';
import { currentSeconds } from '../state/now.ts';
import { openRequests } from '../state/requests.ts';
import { findProblems } from './find-problems.ts';
import { changeDraft, draftOf, deleteDrafts } from './request-drafts.ts';
import type { RequestAnswer } from './request-drafts.ts';
import { requestState } from './request-state.ts';

/** Errors of sent answers that do not belong to a request, by invocation. */
export const sendErrors: Signal<ReadonlyMap<string, unknown>> = signal<ReadonlyMap<string, unknown>>(new Map());

/** Returns the open requests of an invocation that a person can answer, oldest first. */
export function answerableOf(invocationId: string): readonly RecordedInterrupt[] {
  return openRequests.value.filter(
    (each) =>
      each.interrupt.invocationId === invocationId &&
      each.interrupt.kind !== 'timer' &&
      requestState(each, currentSeconds()) === 'open',
  );
}

/** Sends the answer to the only open request. If the invocation has other open requests, keeps it until `sendAnswers`. */
export async function submitAnswer(
  { interrupt }: RecordedInterrupt,
  value: Json,
  paths: readonly string[] = [],
): Promise<void> {
  const { id, invocationId } = interrupt;
  changeDraft(id, { answer: { interrupt, value, paths }, problems: {} });
  if (answerableOf(invocationId).length <= 1) await sendAnswers(invocationId);
}

/** Returns the answers of an invocation that are ready to be sent. */
export function readyAnswers(invocationId: string): readonly RequestAnswer[] {
  return answerableOf(invocationId).flatMap(({ interrupt }) => draftOf(interrupt.id).answer ?? []);
}

/** Sends all answers of an invocation that are ready, in one request. */
export async function sendAnswers(invocationId: string): Promise<void> {
  const answers = readyAnswers(invocationId);
  if (answers.length === 0) return;
  setError(invocationId, undefined);
  const error = await answerRequests(answers);
  if (error === undefined) return deleteDrafts(answers.map(({ interrupt }) => interrupt.id));
  showProblems(invocationId, error, answers);
}

function showProblems(invocationId: string, error: unknown, answers: readonly RequestAnswer[]): void {
  const problems = findProblems(error, answers);
  for (const [id, each] of problems) changeDraft(id, { answer: undefined, problems: each });
  if (problems.size > 0) return;
  // A single answer is sent again with the button of its form.
  if (answers.length === 1) changeDraft(answers[0]!.interrupt.id, { answer: undefined });
  setError(invocationId, error);
}

function setError(invocationId: string, error: unknown): void {
  const next = new Map(sendErrors.peek());
  if (error === undefined) next.delete(invocationId);
  else next.set(invocationId, error);
  sendErrors.value = next;
}
