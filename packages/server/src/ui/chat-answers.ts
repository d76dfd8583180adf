import { TholeError } from '@thole/core';
import { getOwn, isPlainObject } from '@thole/core/kit';
import type { FunctionResponse, Interrupt, Json, JsonObject } from '@thole/core';
import { toAnswer } from '../front-ends/to-answer.ts';
import type { ChatBody, ChatMessage } from './chat-body.ts';

/** The answers of a page to open interrupts. */
export interface ChatAnswers {
  interrupts: Interrupt[];
  responses: FunctionResponse[];
}

/**
 * Returns the answers in a request: approvals and outputs in the parts of the message, and the `answers` of the body. Throws
 * `INTERRUPT_NOT_FOUND` if `answers` has an unknown id, or if no answer belongs to an open interrupt.
 */
export function readAnswers(
  open: readonly Interrupt[],
  { answers = {} }: ChatBody,
  { parts }: ChatMessage,
): ChatAnswers {
  const partValues = new Map<string, Json>();
  for (const part of parts) {
    if (!isPlainObject(part)) continue;
    const { approval, output, state, toolCallId } = part;
    if (isPlainObject(approval) && typeof approval['id'] === 'string' && typeof approval['approved'] === 'boolean')
      partValues.set(approval['id'], decisionOf(approval as JsonObject));
    if (typeof toolCallId === 'string' && state === 'output-available' && part['preliminary'] !== true)
      partValues.set(toolCallId, output as Json);
    if (typeof toolCallId === 'string' && state === 'output-error')
      partValues.set(toolCallId, { error: part['errorText'] as Json });
  }
  const result: ChatAnswers = { interrupts: [], responses: [] };
  for (const interrupt of open) {
    const { id, kind } = interrupt;
    const bodyValue = getOwn(answers, id);
    const value = bodyValue ?? (kind === 'confirmation' || kind === 'longRunning' ? partValues.get(id) : undefined);
    if (value === undefined) continue;
    result.interrupts.push(interrupt);
    result.responses.push(toAnswer(interrupt, value));
  }
  const unknownId = Object.keys(answers).find((id) => !open.some((each) => each.id === id));
  if (unknownId !== undefined || result.responses.length === 0)
    throw new TholeError(
      'INTERRUPT_NOT_FOUND',
      unknownId === undefined
        ? 'The message contains no answer to an open interrupt of the session.'
        : `The session has no open interrupt "${unknownId.slice(0, 100)}".`,
    );
  return result;
}

/** Returns the answer of an approval. The reason of a rejection becomes the payload of the answer. */
function decisionOf({ approved, reason }: JsonObject): Json {
  return approved === false && typeof reason === 'string' && reason !== ''
    ? { confirmed: false, payload: { reason } }
    : { confirmed: approved === true };
}
