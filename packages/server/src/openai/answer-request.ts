import { TholeError } from '@thole/core';
import type { Content, SessionRef } from '@thole/core';
import type { Run, Runner } from '@thole/runner';
import { completeRun } from '../front-ends/complete-run.ts';
import type { EventEncoder } from '../front-ends/event-encoder.ts';
import { streamRun } from '../front-ends/stream-run.ts';
import { errorResponse } from '../http/error-response.ts';
import { idHeader } from '../http/id-header.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import type { RunCall } from '../runs/start-run.ts';
import { openAiErrorBody } from './open-ai-error.ts';
import { deleteConversation } from './open-conversation.ts';

/** A message to answer, and its session. */
export interface AnswerRequest<Encoder extends EventEncoder> {
  runner: Runner;
  ref: SessionRef;
  /** True to delete the session after the run. */
  isTemporary: boolean;
  message: Content;
  isStream: boolean;
  encoder: Encoder;
  /** Returns the body of the response after a run that was not streamed. */
  toBody: (encoder: Encoder) => object;
}

/**
 * Answers a message in its session, as a stream or as one body. The response header `x-session-id` names a stored session. If a
 * run in a stored session fails, the header `x-should-retry` keeps OpenAI's clients from sending the message again.
 */
export async function answerRequest<Encoder extends EventEncoder>(
  call: RunCall,
  p: AnswerRequest<Encoder>,
): Promise<Response> {
  const { context } = call;
  const { encoder, isStream, isTemporary, ref, runner } = p;
  const endsWithClient = isTemporary;
  const request = { ref, newMessage: p.message, messageId: isTemporary ? undefined : idempotencyKey(call.request) };
  const headers = isTemporary ? {} : idHeader('x-session-id', ref.sessionId);
  const remove = (): void => void (isTemporary && deleteConversation(context, runner, ref));
  let isStarted = false;
  const onStart = (run: Run): void => {
    isStarted = true;
    void run.done.then(remove);
  };
  try {
    if (isStream) {
      const streamRequest = { ...request, streaming: true };
      const format = { encoder, headers, isReadOnce: true };
      return await streamRun(call, { ...format, request: streamRequest, endsWithClient, onStart });
    }
    const { events, invocationId, outcome } = await completeRun(call, { request, endsWithClient, onStart });
    if ('code' in outcome) throw new TholeError(outcome.code, outcome.message);
    encoder.start(invocationId);
    for (const event of events) encoder.event(event);
    encoder.end(outcome);
    return Response.json(p.toBody(encoder), {
      headers: { ...headers, ...idHeader('x-thole-invocation-id', invocationId) },
    });
  } catch (error) {
    remove();
    // The client may send the message again if it is not stored, or if its id keeps it from being processed twice.
    const isSafe = !isStarted || request.messageId !== undefined;
    if (isTemporary || TholeError.is(error, 'SESSION_BUSY') || (isSafe && TholeError.is(error, 'SERVER_BUSY')))
      throw error;
    const response = errorResponse(error, { errorLog: context.errorLog, toBody: openAiErrorBody });
    response.headers.set('x-should-retry', 'false');
    return response;
  }
}
