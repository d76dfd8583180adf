import { applyRewinds } from '@thole/core/kit';
import type { TholeError } from '@thole/core';
import type { Runner } from '@thole/runner';
import { openAiError } from './open-ai-error.ts';
import { fromResponseId } from './response-id.ts';

/**
 * Returns the id of the session that continues a response: the session of the response, or a copy that ends with the response if
 * later messages follow in it. Throws `NOT_FOUND` if the user has no such response.
 */
export async function findPreviousSession(
  runner: Runner,
  p: { userId: string; previousResponseId: string },
): Promise<string> {
  const { previousResponseId, userId } = p;
  const place = fromResponseId(previousResponseId);
  if (!place) throw notFound();
  const { invocationId, sessionId } = place;
  const session = await runner.sessionService.getSession({ appName: runner.appName, userId, sessionId });
  const events = applyRewinds(session?.events ?? []);
  const last = events.findLastIndex((event) => event.invocationId === invocationId);
  if (last < 0) throw notFound();
  const hasContinued = events.slice(last + 1).some(({ author }) => author === 'user');
  if (!hasContinued) return sessionId;
  const copy = await runner.fork({ userId, sessionId, uptoSeq: events[last]!.seq });
  return copy.id;
}

function notFound(): TholeError {
  return openAiError('There is no such previous response.', {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  });
}
