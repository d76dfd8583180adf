import type { Event } from '@thole/core';

/**
 * Returns the model's answer whose request belongs to an event: the event itself if it is an answer, otherwise the next
 * answer of a model in the same invocation, or else the previous answer.
 */
export function answerOf(events: readonly Event[], eventId: string | undefined): Event | undefined {
  const at = eventId === undefined ? events.length - 1 : events.findIndex(({ id }) => id === eventId);
  const chosen = events[at];
  if (!chosen) return undefined;
  if (isAnswer(chosen)) return chosen;
  const isAnswerOfTurn = (event: Event): boolean => event.invocationId === chosen.invocationId && isAnswer(event);
  for (let i = at + 1; i < events.length && i < at + MAX_DISTANCE; i++)
    if (isAnswerOfTurn(events[i]!)) return events[i];
  for (let i = at - 1; i >= 0 && i > at - MAX_DISTANCE; i--) if (isAnswerOfTurn(events[i]!)) return events[i];
  return undefined;
}

/** Returns the previous answer of the same agent, to compare requests. */
export function answerBefore(events: readonly Event[], answer: Event): Event | undefined {
  const at = events.findLastIndex(({ id }) => id === answer.id);
  for (let i = at - 1; i >= 0; i--) {
    const event = events[i]!;
    if (event.author === answer.author && event.id !== answer.id && isAnswer(event)) return event;
  }
  return undefined;
}

/** True if a model wrote the event. */
export function isAnswer({ author, content, errorCode, usageMetadata }: Event): boolean {
  if (author === 'user' || author === 'system') return false;
  const parts = content?.parts ?? [];
  // A tool's answer may have the token counts of an agent that ran as the tool.
  if (parts.some(({ functionResponse }) => functionResponse)) return false;
  if (usageMetadata !== undefined) return true;
  return content?.role === 'model' ? parts.length > 0 : errorCode?.startsWith('MODEL_') === true;
}

/** Maximum number of events to search in each direction. */
const MAX_DISTANCE = 1_000;
