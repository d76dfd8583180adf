import type { InterruptKind } from '@thole/core';
import type { RequestState } from './request-state.ts';

/** Labels of the kinds of requests. */
export const kindLabels: Readonly<Record<InterruptKind, string>> = {
  confirmation: 'Confirmation',
  input: 'Input',
  credential: 'Sign-in',
  longRunning: 'Result',
  timer: 'Timer',
};

/** Returns the word for a state. */
export function stateWord(kind: InterruptKind, state: RequestState): string {
  if (kind === 'timer' && state === 'open') return 'running';
  if (kind === 'timer' && state === 'answered') return 'elapsed';
  return state === 'open' ? 'waits for an answer' : state;
}
