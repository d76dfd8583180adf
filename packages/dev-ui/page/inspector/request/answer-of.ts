import type { Event } from '@thole/core';

/**
 * Returns the model's answer whose request belongs to an event: the event itself if it is an answer; for a message
 * or a tool's answer the model's next answer in the same invocation, otherwise its last.
 */
export function answerOf(events: readonly Event[], eventId: string | undefined): Event | undefined {
  const at = eventId === undefined ? events.length - 1 : events.findIndex(({ id }) => id === eventId);
  const chosen = events[at];
  if (!chosen) return undefined;
  if (isAnswer(chosen)) return chosen;
  const isOne = (event: Event): boolean => event.invocationId === chosen.invocationId && isAnswer(event);
  for (let i = at + 1; i < events.length && i < at + NEAR; i++) if (isOne(events[i]!)) return events[i];
  for (let i = at - 1; i >= 0 && i > at - NEAR; i--) if (isOne(events[i]!)) return events[i];
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
  // It may have the tokens of agents that ran as a tool.
  if (parts.some(({ functionResponse }) => functionResponse)) return false;
  if (usageMetadata !== undefined) return true;
  return content?.role === 'model' ? parts.length > 0 : errorCode?.startsWith('MODEL_') === true;
}

/** In an invocation with more events than this, the search stops. */
const NEAR = 1_000;
