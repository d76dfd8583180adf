import { TholeError } from '@thole/core';
import type { JsonObject, Runtime, Session, StateMap } from '@thole/core';
import type { Runner } from '@thole/runner';
import { z } from 'zod';
import type { Action } from '../handler-options.ts';
import type { RouteCall } from '../route.ts';
import { metadataSchema } from './conversation-body.ts';
import type { Metadata } from './conversation-body.ts';
import { modelNotFound, openAiError } from './open-ai-error.ts';

/** The part of a request that names the app of a conversation. */
export type ConversationCall<Body = unknown> = RouteCall<Body, { model?: string | undefined }>;

/** The key of the session's state that contains the metadata of a conversation. */
const STATE_KEY = 'openai_conversation';
const record = z.object({ created_at: z.number(), metadata: metadataSchema });

/** Returns the id of a new conversation. It contains the app, so that later requests need no `model`. */
export function newConversationId(appName: string, runtime: Runtime): string {
  return `conv_${appName}_${runtime.newId('session')}`;
}

/**
 * Authorizes a request for a conversation, and returns its app and user. The app is `model` of the query, otherwise the app in the id,
 * otherwise the only app. Throws `NOT_FOUND` for an unknown app, and `INVALID_INPUT` if no app is named.
 */
export async function authorizeConversation(
  call: ConversationCall,
  action: Action,
): Promise<{ runner: Runner; userId: string }> {
  const { runners } = call.context;
  const appName = appNameOf(call);
  const userId = await call.authorizeUser({ appName, action });
  if (appName === undefined) {
    const message = 'Set the query parameter model to the name of an app: GET /v1/models lists them.';
    throw openAiError(message, { param: 'model' });
  }
  const runner = runners.get(appName);
  if (!runner) throw modelNotFound(appName);
  return { runner, userId };
}

/** Authorizes a request for a conversation, and reads its session. Throws `NOT_FOUND` if the user has no such conversation. */
export async function findConversation(
  call: ConversationCall,
  action: Action,
): Promise<{ runner: Runner; session: Session }> {
  const { runner, userId } = await authorizeConversation(call, action);
  const ref = { appName: runner.appName, userId, sessionId: call.params.session };
  const session = await runner.sessionService.getSession(ref);
  if (!session) throw conversationNotFound();
  return { runner, session };
}

/** Returns the error of a conversation that does not exist. */
export function conversationNotFound(): TholeError {
  const message = 'The user has no such conversation. Create one with POST /v1/conversations.';
  return new TholeError('NOT_FOUND', message, { details: { param: 'conversation_id' } });
}

/** Returns the state of the session that contains the metadata. `createdAt` is seconds since the epoch. */
export function conversationState(metadata: Metadata, createdAt: number): StateMap {
  return { [STATE_KEY]: { created_at: createdAt, metadata } };
}

/** Returns a session in the form of a conversation of OpenAI. */
export function toConversation({ events, id, lastUpdateTime, state }: Session): JsonObject & { created_at: number } {
  // Agents and clients may have written another value.
  const { data } = record.safeParse(state[STATE_KEY]);
  const createdAt = data?.created_at ?? events[0]?.timestamp ?? lastUpdateTime;
  return { id, object: 'conversation', created_at: Math.floor(createdAt), metadata: { ...data?.metadata } };
}

function appNameOf({ context, params, query }: ConversationCall): string | undefined {
  const names = [...context.runners.keys()];
  const inId = names.filter((name) => params.session.startsWith(`conv_${name}_`)).sort((a, b) => b.length - a.length);
  return query.model ?? inId[0] ?? (names.length === 1 ? names[0] : undefined);
}
