import { TholeError } from '@thole/core';
import { openAiFailure } from '../map-openai-error.ts';

const GEMINI_REASONS: { readonly [reason: string]: string } = {
  stop: 'STOP',
  tool_calls: 'STOP',
  function_call: 'STOP',
  eos: 'STOP',
  length: 'MAX_TOKENS',
  model_length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

/** Returns Gemini's name of the finish reason. A reason without a counterpart is returned unchanged. */
export function readFinish(reason: string): string {
  return Object.hasOwn(GEMINI_REASONS, reason) ? GEMINI_REASONS[reason]! : reason;
}

/** Throws the error of a choice that ended because the server failed. */
export function assertNotFailed(choice: { readonly [key: string]: unknown }): void {
  const reason = choice['finish_reason'];
  if (choice['error'] && typeof choice['error'] !== 'boolean') throw openAiFailure({ error: choice['error'] });
  if (reason === 'error') throw openAiFailure({ error: { message: 'finish_reason error' } });
  if (reason === 'insufficient_system_resource') {
    throw new TholeError('MODEL_OVERLOADED', 'The model server ran out of resources during its answer.');
  }
  if (reason === 'abort')
    throw new TholeError('MODEL_INCOMPLETE', 'The model server stopped before its answer was complete.');
}
