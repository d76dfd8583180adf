import type { JsonObject, SessionRef } from '@thole/core';
import type { Runner } from '@thole/runner';
import { checkedAuthors } from '../front-ends/checked-authors.ts';
import { ensureSession } from '../front-ends/ensure-session.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import { answerRequest } from '../openai/answer-request.ts';
import { chatBody } from '../openai/chat-body.ts';
import type { ChatBody } from '../openai/chat-body.ts';
import { ChatEncoder } from '../openai/chat-encoder.ts';
import { splitTurns } from '../openai/client-turns.ts';
import { modelNotFound, openAiError } from '../openai/open-ai-error.ts';
import { openConversation } from '../openai/open-conversation.ts';
import { findPreviousSession } from '../openai/previous-session.ts';
import type { PreviousResponse } from '../openai/previous-session.ts';
import { readInput, responseBody } from '../openai/response-body.ts';
import type { ResponseBody } from '../openai/response-body.ts';
import { ResponseEncoder } from '../openai/response-encoder.ts';
import { assertSupported } from '../openai/unsupported.ts';
import { anyObject, integer, listOf, objectOf, text } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';

const commonMembers = { tag: 'openai', access: 'body', keepKeys: true } as const;
const failures = {
  400: 'A member of the body is missing or invalid, or a parameter is not supported',
  403: 'The body names another user than `authorize`',
  404: 'No such model or previous response',
  409: 'The session is busy',
};
const model = objectOf({ id: text, object: text, created: integer, owned_by: text });

/** The endpoints of OpenAI's API, with an app as the model. Errors have OpenAI's shape. */
export const openAiRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'GET', paths: ['/v1/models'], ...commonMembers },
    summary: 'Lists the apps as models of OpenAI’s API.',
    returns: objectOf({ object: text, data: listOf(model) }),
    responses: { 200: '{object, data}' },
    async handle(call) {
      await call.authorizeUser({ action: 'read' });
      const names = [...call.context.runners.keys()].sort();
      return Response.json({ object: 'list', data: names.map(toModel) });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: ['/v1/models/:model'], ...commonMembers },
    summary: 'Describes an app as a model of OpenAI’s API.',
    returns: model,
    responses: { 200: '{id, object, created, owned_by}', 404: 'No such model' },
    async handle(call) {
      const name = call.params['model']!;
      await call.authorizeUser({ appName: name, action: 'read' });
      return Response.json(toModel(runnerOf(call, name).appName));
    },
  }),
  defineRoute({
    ...{ method: 'POST', paths: ['/v1/chat/completions'], ...commonMembers },
    summary:
      'Answers a message in the form of OpenAI’s Chat Completions. The header x-session-id or `metadata.session_id` names the session; otherwise `messages` is the whole conversation, and nothing is stored.',
    body: chatBody,
    returns: anyObject,
    responses: { 200: 'A chat completion, or with `stream` a text/event-stream of its chunks', ...failures },
    handle: completeChat,
  }),
  defineRoute({
    ...{ method: 'POST', paths: ['/v1/responses'], ...commonMembers },
    summary:
      'Answers a message in the form of OpenAI’s Responses. The session is `conversation`, or the session of `previous_response_id` or of an item that the input refers to, otherwise a new session.',
    body: responseBody,
    returns: anyObject,
    responses: { 200: 'A response, or with `stream` a text/event-stream of its events', ...failures },
    handle: createResponse,
  }),
];

async function completeChat(call: RouteCall<ChatBody>): Promise<Response> {
  const { body, context, request } = call;
  const sessionId = request.headers.get('x-session-id') ?? body.metadata?.session_id;
  const { runner, userId } = await authorize(call);
  const { history, message } = splitTurns(body.messages, 'messages');
  const isTemporary = sessionId === undefined;
  const ref = isTemporary
    ? await openConversation(context, runner, { history, isTemporary, userId })
    : await ensureNamedSession(call, { appName: runner.appName, userId, sessionId });
  const encoder = new ChatEncoder({
    ...{ model: body.model, createdAt: context.runtime.now(), isTemporary, checkedAuthors: checkedAuthors(runner) },
    includesUsage: body.stream_options?.include_usage === true,
  });
  return answerRequest(call, {
    ...{ runner, ref, isTemporary, message, encoder, isStream: body.stream === true },
    toBody: (each) => each.completion(),
  });
}

async function createResponse(call: RouteCall<ResponseBody>): Promise<Response> {
  const { body, context } = call;
  const { runner, userId } = await authorize(call);
  const { messages, reference } = readInput(body);
  const { history, message } = splitTurns(messages, 'input');
  const messageId = idempotencyKey(call.request);
  const existingRef = await findSession(call, { runner, messageId, reference, userId });
  const isTemporary = body.store === false && !existingRef;
  const newConversation = { history, isTemporary, messageId: isTemporary ? undefined : messageId, userId };
  const ref = existingRef ?? (await openConversation(context, runner, newConversation));
  const { sessionId } = ref;
  const encoder = new ResponseEncoder({
    ...{ model: body.model, createdAt: context.runtime.now(), isTemporary, checkedAuthors: checkedAuthors(runner) },
    ...{ sessionId, echo: repeatRequest(body, isTemporary ? null : { id: sessionId }) },
  });
  return answerRequest(call, {
    ...{ runner, ref, isTemporary, message, encoder, isStream: body.stream === true },
    toBody: (each) => each.response(),
  });
}

/**
 * Authorizes the request. Rejects unsupported parameters, requests to a busy server, and requests that `deps` rejects, before a
 * session is created.
 */
async function authorize(call: RouteCall<ChatBody | ResponseBody>): Promise<{ runner: Runner; userId: string }> {
  const { body } = call;
  const userId = await call.authorizeUser({ appName: body.model, action: 'run', bodyUserId: body.user ?? undefined });
  const runner = runnerOf(call, body.model);
  assertSupported(body);
  call.context.runs.assertCapacity();
  await call.context.deps?.(call.request, { appName: runner.appName, userId });
  return { runner, userId };
}

function runnerOf({ context }: Pick<RouteCall, 'context'>, name: string): Runner {
  const runner = context.runners.get(name);
  if (!runner) throw modelNotFound(name);
  return runner;
}

/**
 * Returns the session that the body names with `conversation`, `previous_response_id` or a reference to an item of a response. Undefined
 * if it names none.
 */
async function findSession(
  call: RouteCall<ResponseBody>,
  p: { runner: Runner; messageId: string | undefined; reference: PreviousResponse | undefined; userId: string },
): Promise<SessionRef | undefined> {
  const { messageId, reference, runner, userId } = p;
  const { appName } = runner;
  const { conversation, previous_response_id: previousResponseId } = call.body;
  if (conversation && previousResponseId)
    throw openAiError('Set either conversation or previous_response_id.', { param: 'previous_response_id' });
  if (conversation) {
    const sessionId = typeof conversation === 'string' ? conversation : conversation.id;
    return ensureNamedSession(call, { appName, userId, sessionId });
  }
  const previous = previousResponseId ? { responseId: previousResponseId, param: 'previous_response_id' } : reference;
  if (!previous) return undefined;
  const sessionId = await findPreviousSession(runner, { userId, previous, messageId });
  return { appName, userId, sessionId };
}

async function ensureNamedSession(call: Pick<RouteCall, 'context' | 'request'>, ref: SessionRef): Promise<SessionRef> {
  await ensureSession(call, ref);
  return ref;
}

function repeatRequest(body: ResponseBody, conversation: { id: string } | null): JsonObject {
  return {
    ...{ conversation, instructions: body.instructions ?? null, metadata: { ...body.metadata } },
    ...{ previous_response_id: body.previous_response_id ?? null, store: body.store ?? true },
    ...(body.user && { user: body.user }),
  };
}

/** Returns an app as a model of OpenAI's API. `created` is 0, because apps have no time of creation. */
function toModel(id: string): JsonObject {
  return { id, object: 'model', created: 0, owned_by: 'thole' };
}
