import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { FunctionResponse, Interrupt, Json } from '@thole/core';
import { toAnswer } from '../front-ends/to-answer.ts';
import type { ClientMessage, ResumeEntry, RunInput } from './run-input.ts';

/** The answers of a request. */
export interface ClientAnswers {
  /** The open interrupts that the request answers or cancels. */
  interrupts: Interrupt[];
  responses: FunctionResponse[];
}

/**
 * Returns the answers in a request: the entries of `resume`, and the results of the client's tools. Other tool results are
 * ignored. A cancelled interrupt that has expired is not answered, because the system answers it. Throws `INTERRUPT_NOT_FOUND` if
 * a resolved entry names an interrupt that is not open.
 */
export function readAnswers(
  open: readonly Interrupt[],
  { messages, resume }: Pick<RunInput, 'messages' | 'resume'>,
  p: { clientTools: ReadonlySet<string>; now: number },
): ClientAnswers {
  const result: ClientAnswers = { interrupts: [], responses: [] };
  for (const entry of resume) {
    const interrupt = open.find(({ id }) => id === entry.interruptId);
    if (!interrupt) {
      if (entry.status === 'cancelled') continue;
      const id = entry.interruptId.slice(0, 100);
      throw new TholeError('INTERRUPT_NOT_FOUND', `The session has no open interrupt "${id}".`);
    }
    result.interrupts.push(interrupt);
    const hasExpired = interrupt.expiresAt !== undefined && interrupt.expiresAt <= p.now;
    if (entry.status === 'resolved' || !hasExpired) result.responses.push(answerOf(entry, interrupt));
  }
  for (const message of messages) {
    const { role, toolCallId } = message;
    const interrupt = role === 'tool' ? open.find(({ id }) => id === toolCallId) : undefined;
    if (interrupt?.kind !== 'longRunning' || !p.clientTools.has(interrupt.toolName!)) continue;
    if (result.interrupts.includes(interrupt)) continue;
    result.interrupts.push(interrupt);
    result.responses.push(toAnswer(interrupt, resultOf(message)));
  }
  return result;
}

/**
 * Returns the answer of an entry of `resume`. Cancelled confirmations are rejected, other cancelled requests are answered with an
 * error.
 */
function answerOf({ payload, status }: ResumeEntry, interrupt: Interrupt): FunctionResponse {
  const isConfirmation = interrupt.kind === 'confirmation';
  if (status === 'cancelled') {
    const answer = toAnswer(interrupt, false);
    return isConfirmation ? answer : { ...answer, response: { error: 'The user cancelled the request.' } };
  }
  if (!isConfirmation) return toAnswer(interrupt, (payload ?? {}) as Json);
  // Many pages send `{approved}`.
  const isApproval =
    isPlainObject(payload) && typeof payload['approved'] === 'boolean' && payload['confirmed'] === undefined;
  return toAnswer(interrupt, isApproval ? (payload['approved'] as boolean) : ((payload ?? true) as Json));
}

/** Returns the result of a client's tool: the parsed JSON, or the text if it is not JSON. */
function resultOf({ content, error }: ClientMessage): Json {
  if (typeof error === 'string' && error !== '') return { error };
  const text = typeof content === 'string' ? content : textOf(content);
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  const texts = content.map((part: unknown) => (isPlainObject(part) ? part['text'] : undefined));
  return texts.filter((text) => typeof text === 'string').join('');
}
