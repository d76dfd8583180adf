import { applyRewinds } from '@thole/core/kit';
import { TholeError } from '@thole/core';
import type { Runner } from '@thole/runner';
import { openAiError } from './open-ai-error.ts';
import { keyedSessionId } from './open-conversation.ts';
import { fromResponseId } from './response-id.ts';

/** The earlier response that a request continues. */
export interface PreviousResponse {
  /** Undefined if the request refers to something else. */
  responseId: string | undefined;
  /** Name of the member of the request that refers to it. */
  param: string;
}

/**
 * Returns the id of the session that continues a response: the session of the response, or a copy that ends with the response if
 * later messages follow in it. The message with the id `messageId` does not count: the client has sent it again. Throws `NOT_FOUND`
 * if the user has no such response.
 */
export async function findPreviousSession(
  runner: Runner,
  p: { userId: string; previous: PreviousResponse; messageId: string | undefined },
): Promise<string> {
  const { messageId, previous, userId } = p;
  const place = previous.responseId === undefined ? undefined : fromResponseId(previous.responseId);
  if (!place) throw notFound(previous);
  const { invocationId, sessionId } = place;
  const session = await runner.sessionService.getSession({ appName: runner.appName, userId, sessionId });
  const events = applyRewinds(session?.events ?? []);
  const last = events.findLastIndex((event) => event.invocationId === invocationId);
  if (last < 0) throw notFound(previous);
  const next = events.slice(last + 1).find(({ author }) => author === 'user');
  if (!next || next.id === messageId) return sessionId;
  const newSessionId = messageId === undefined ? undefined : keyedSessionId(messageId);
  try {
    return (await runner.fork({ userId, sessionId, uptoSeq: events[last]!.seq, newSessionId })).id;
  } catch (error) {
    // An earlier request with this id has created the copy.
    if (newSessionId !== undefined && TholeError.is(error, 'SESSION_ALREADY_EXISTS')) return newSessionId;
    throw error;
  }
}

function notFound({ param }: PreviousResponse): TholeError {
  const message =
    param === 'previous_response_id'
      ? 'There is no such previous response.'
      : `${param} refers to an item that is not stored. Send the message itself, for example with store: false in the AI SDK.`;
  return openAiError(message, { param, code: 'previous_response_not_found' });
}
