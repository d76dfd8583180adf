import { TholeError } from '@thole/core';
import { z } from 'zod';
import { assertWritableState } from '../http/assert-writable-state.ts';
import { count } from '../http/schemas.ts';
import { itemsBody, metadataBody, newConversationBody, readItems } from '../openai/conversation-body.ts';
import type { NewConversationBody } from '../openai/conversation-body.ts';
import {
  authorizeConversation,
  conversationNotFound,
  conversationState,
  findConversation,
  newConversationId,
  toConversation,
} from '../openai/conversation.ts';
import type { ConversationCall } from '../openai/conversation.ts';
import { pageOf, toItemList, toItems } from '../openai/conversation-items.ts';
import { openAiError } from '../openai/open-ai-error.ts';
import { appendHistory, createConversation } from '../openai/open-conversation.ts';
import { anyObject, boolean, integer, listOf, objectOf, text } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route } from '../route.ts';

const ALL = '/v1/conversations';
const ONE = `${ALL}/:session`;
const ITEMS = `${ONE}/items`;
const common = { tag: 'openai', access: 'body', keepKeys: true } as const;
const model = z.string().min(1).optional();
const query = z.object({ model });
const limit = count.refine((each) => each >= 1 && each <= 100, 'must be an integer from 1 to 100').optional();
const order = z.enum(['asc', 'desc']).optional();
const conversation = objectOf({ id: text, object: text, created_at: integer, metadata: anyObject });
const items = objectOf({ object: text, data: listOf(anyObject), first_id: text, last_id: text, has_more: boolean });
const notFound = { 404: 'No such app or conversation' };

/**
 * OpenAI's Conversations API. A conversation is a session of the user. The query parameter `model` names the app if there are several
 * and the id does not contain it.
 */
export const conversationRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'POST', paths: [ALL], ...common, query },
    summary: 'Creates a session as a conversation of OpenAI’s API. `items` are its first messages.',
    body: newConversationBody,
    returns: conversation,
    responses: { 200: 'The conversation', 400: 'No app, or an item that is not supported', 404: 'No such app' },
    handle: create,
  }),
  defineRoute({
    ...{ method: 'GET', paths: [ONE], ...common, query },
    summary: 'Describes a session as a conversation of OpenAI’s API.',
    returns: conversation,
    responses: { 200: 'The conversation', ...notFound },
    handle: async (call) => Response.json(toConversation((await findConversation(call, 'read')).session)),
  }),
  defineRoute({
    ...{ method: 'POST', paths: [ONE], ...common, query },
    summary: 'Replaces the metadata of a conversation.',
    body: metadataBody,
    returns: conversation,
    responses: { 200: 'The conversation', 403: 'Clients may not write state of sessions', ...notFound },
    async handle(call) {
      const { runner, session } = await findConversation(call, 'write');
      const stateDelta = conversationState(call.body.metadata ?? {}, toConversation(session).created_at);
      assertWritableState(stateDelta, call.context);
      await runner.updateState({ userId: session.userId, sessionId: session.id, stateDelta });
      return Response.json(toConversation({ ...session, state: stateDelta }));
    },
  }),
  defineRoute({
    ...{ method: 'DELETE', paths: [ONE], ...common, query },
    summary: 'Deletes the session of a conversation with its artifacts.',
    returns: objectOf({ id: text, object: text, deleted: boolean }),
    responses: { 200: '{id, object, deleted}', ...notFound },
    async handle(call) {
      const { runner, userId } = await authorizeConversation(call, 'delete');
      const { session: id } = call.params;
      if (!(await runner.deleteSession({ userId, sessionId: id }))) throw conversationNotFound();
      return Response.json({ id, object: 'conversation.deleted', deleted: true });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: [ITEMS], ...common },
    query: z.object({ model, after: z.string().optional(), limit, order }),
    summary: 'Lists the messages and thoughts of a conversation, newest first unless `order` is `asc`.',
    returns: items,
    responses: { 200: '{object, data, first_id, last_id, has_more}', 400: 'No item with the id `after`', ...notFound },
    async handle(call) {
      const { session } = await findConversation(call, 'read');
      return Response.json(pageOf(toItems(session.events, session.id), call.query));
    },
  }),
  defineRoute({
    ...{ method: 'POST', paths: [ITEMS], ...common, query },
    summary:
      'Appends messages to a conversation, after its active run. Tool calls, their results and thoughts are left out.',
    body: itemsBody,
    returns: items,
    responses: { 200: 'The new items', 400: 'An item that is not supported', 409: 'The session is busy', ...notFound },
    async handle(call) {
      const { runner, session } = await findConversation(call, 'write');
      const history = readItems(call.body.items);
      const events = await appendHistory(call.context, runner, { history, session, signal: call.request.signal });
      return Response.json(toItemList(toItems(events, session.id), false));
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: [`${ITEMS}/:item`], ...common, query },
    summary: 'Returns an item of a conversation.',
    returns: anyObject,
    responses: { 200: 'The item', 404: 'No such app, conversation or item' },
    async handle(call) {
      const { session } = await findConversation(call, 'read');
      const item = toItems(session.events, session.id).find(({ id }) => id === call.params['item']);
      if (item) return Response.json(item);
      const message = 'The conversation has no such item. GET /v1/conversations/:id/items lists its items.';
      throw new TholeError('NOT_FOUND', message, { details: { param: 'item_id' } });
    },
  }),
  defineRoute({
    ...{ method: 'DELETE', paths: [`${ITEMS}/:item`], ...common, query },
    summary: 'Rejects the request, because a session keeps all its events.',
    responses: { 400: 'An item cannot be deleted alone' },
    async handle(call) {
      await authorizeConversation(call, 'delete');
      const message =
        'An item cannot be deleted alone. Delete the conversation, or remove a message and everything after it with POST /apps/:app/users/:user/sessions/:id/rewind.';
      throw openAiError(message, { param: 'item_id' });
    },
  }),
];

async function create(call: ConversationCall<NewConversationBody | null | undefined>): Promise<Response> {
  const { body, context } = call;
  const { runner, userId } = await authorizeConversation(call, 'write');
  const { appName } = runner;
  const history = readItems(body?.items ?? []);
  const metadata = { ...body?.metadata };
  const createdAt = Math.floor(context.runtime.now());
  const state = conversationState(metadata, createdAt);
  if (Object.keys(metadata).length > 0) assertWritableState(state, context);
  const id = newConversationId(appName, context.runtime);
  const ref = { appName, userId, sessionId: id };
  await createConversation(context, runner, { history, isTemporary: false, ref, state });
  return Response.json({ id, object: 'conversation', created_at: createdAt, metadata });
}
