import type { SessionRef } from '@thole/core';
import type { Action } from '../handler-options.ts';
import { followRun } from '../front-ends/stream-run.ts';
import { boolean, listOf, objectOf } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { chatBody } from '../ui/chat-body.ts';
import { startChatRun } from '../ui/start-chat-run.ts';
import type { UiMessage } from '../ui/ui-chunk.ts';
import { UiEncoder, uiStreamHeaders } from '../ui/ui-encoder.ts';
import { toUiMessages } from '../ui/ui-messages.ts';

const CHAT = '/ui/:app/chat';

/** The endpoints of the AI SDK's `useChat`. The id of a chat is the id of a session. */
export const uiRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'POST', paths: [CHAT], tag: 'front ends', access: 'body', action: 'run', keepKeys: true },
    summary:
      'Processes the last message of an AI SDK page, or its answers to interrupts, and streams the answer as UI message stream. Other messages of the body are not read.',
    body: chatBody,
    responses: {
      200: 'text/event-stream of the AI SDK (x-vercel-ai-ui-message-stream: v1)',
      400: 'A member of the body is missing or invalid',
      403: 'Not the user that authorize names, or an answer that does not fit the recorded request',
      404: 'No such app, message or interrupt',
      409: 'The session is busy, or the interrupt has an answer',
      410: 'The interrupt has expired',
      422: 'An answer of the wrong form. The interrupt stays open',
    },
    handle: startChatRun,
  }),
  defineRoute({
    ...{ method: 'GET', paths: [`${CHAT}/:session/stream`], tag: 'front ends', access: 'body' },
    summary: 'Streams the answer of the active run, in any process, from its start.',
    responses: { 200: 'text/event-stream of the AI SDK', 204: 'No run is active' },
    async handle(call) {
      const ref = await refOf(call, 'read');
      const invocationId = await activeInvocation(call, ref);
      if (invocationId === undefined) return new Response(null, { status: 204 });
      return followRun(call, { ref, invocationId, encoder: new UiEncoder(), headers: uiStreamHeaders });
    },
  }),
  defineRoute({
    ...{ method: 'DELETE', paths: [`${CHAT}/:session/stream`], tag: 'front ends', access: 'body', action: 'cancel' },
    summary: 'Stops the active run in any process.',
    returns: objectOf({ cancelled: boolean }),
    responses: { 200: '{cancelled}: true if there was a run to stop' },
    async handle(call) {
      const { userId, sessionId } = await refOf(call, 'cancel');
      return Response.json({ cancelled: await call.runner.cancel({ userId, sessionId }) });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: [`${CHAT}/:session/messages`], tag: 'front ends', access: 'body' },
    summary:
      'Returns the messages of a chat for `useChat`, oldest first, at most the newest `limits.listItems`. A chat that does not exist is empty. The answer of the active run is left out, because its stream contains it from the start.',
    returns: objectOf({ messages: listOf({ type: 'object' }), isRunning: boolean }),
    responses: { 200: '{messages, isRunning}: messages of the AI SDK' },
    async handle(call) {
      const ref = await refOf(call, 'read');
      let active = await activeInvocation(call, ref);
      let messages = await readMessages(call, ref, active);
      // If the run has ended in the meantime, its stream no longer exists, so its answer is read too.
      if (active !== undefined && (await activeInvocation(call, ref)) !== active) {
        active = undefined;
        messages = await readMessages(call, ref, active);
      }
      return Response.json({ messages, isRunning: active !== undefined });
    },
  }),
];

async function readMessages(
  { context, runner }: RouteCall,
  ref: SessionRef,
  activeInvocationId: string | undefined,
): Promise<UiMessage[]> {
  const session = await runner.sessionService.getSession(ref);
  return toUiMessages(session?.events ?? [], activeInvocationId).slice(-context.limits.listItems);
}

async function refOf(call: RouteCall, action: Action): Promise<SessionRef> {
  const { app: appName, session: sessionId } = call.params;
  return { appName, sessionId, userId: await call.authorizeUser({ appName, action }) };
}

/**
 * Returns the invocation that runs in the session, or that another process will continue. Undefined if it has not stored a
 * message, because it may be a rewind or a compaction.
 */
async function activeInvocation({ context, runner }: RouteCall, ref: SessionRef): Promise<string | undefined> {
  const { sessionService } = runner;
  const lease = await sessionService.leasing?.current(ref);
  const leaseInvocationId = lease && !lease.expired ? lease.invocationId : undefined;
  if (leaseInvocationId === undefined && !context.recovers) return undefined;
  const session = await sessionService.getSession(ref);
  const invocationId = leaseInvocationId ?? session?.marks?.unfinished ?? undefined;
  return session?.events.some((event) => event.invocationId === invocationId) ? invocationId : undefined;
}
