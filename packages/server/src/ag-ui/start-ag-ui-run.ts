import { AgentTree, pendingInterrupts, TholeError } from '@thole/core';
import { applyRewinds, assertName, isPlainObject } from '@thole/core/kit';
import type { Agent, Content, Event, Interrupt, JsonObject, Session, SessionRef } from '@thole/core';
import type { Runner } from '@thole/runner';
import { checkedAuthors } from '../front-ends/checked-authors.ts';
import { ensureSession } from '../front-ends/ensure-session.ts';
import { followRun, repeatRun, streamRun } from '../front-ends/stream-run.ts';
import type { RouteCall } from '../route.ts';
import { toolsOf } from '../routes/tools-of.ts';
import { completeSseResponse } from '../runs/sse-response.ts';
import { AgUiEncoder } from './ag-ui-encoder.ts';
import { CLIENT_TOOLS_KEY, clientStateDelta, storedClientTools } from './client-state.ts';
import { eventFrame } from './event-frame.ts';
import { lastMessage, messageIdMetadata, newMessageParts } from './new-message.ts';
import { readAnswers } from './read-answers.ts';
import { readClientTools } from './read-client-tools.ts';
import type { RunInput } from './run-input.ts';
import { messagesWithoutRun, threadMessages } from './thread-messages.ts';

type Call = RouteCall<RunInput>;

/**
 * Processes a request of an AG-UI client: a message, answers to interrupts, or results of the client's tools. If the session
 * already contains the `runId`, the events of that run are sent. A request without new content returns the messages and state of
 * the session.
 */
export async function startAgUiRun(call: Call): Promise<Response> {
  const { body, context, params, runner } = call;
  const { forwardedProps, resume, runId, threadId } = body;
  const bodyUserId = isPlainObject(forwardedProps) ? forwardedProps['userId'] : undefined;
  if (bodyUserId != null && typeof bodyUserId !== 'string')
    throw new TholeError('INVALID_INPUT', 'body.forwardedProps.userId must be a string.');
  const action = resume.length > 0 ? 'answer' : 'run';
  const userId = await call.authorizeUser({ appName: params.app, action, bodyUserId: bodyUserId ?? undefined });
  const messageId = `ag-ui:${runId}`;
  assertName('body.runId with the prefix "ag-ui:"', messageId);
  const tools = readClientTools(body.tools, runner);
  const parts = newMessageParts(body.messages);
  const ref: SessionRef = { appName: params.app, userId, sessionId: threadId };
  await ensureSession(call, ref);
  const session = await runner.sessionService.getSession(ref);
  if (!session) throw new TholeError('SESSION_BUSY', `Session "${threadId}" was deleted. Send the request again.`);
  const events = applyRewinds(session.events);
  const clientTools = new Set(
    [...tools, ...storedClientTools(session.state[CLIENT_TOOLS_KEY])].map(({ name }) => name),
  );
  const { lastSeq, state } = session;
  const agents = { agentTools: agentToolsOf(runner), checkedAuthors: checkedAuthors(runner) };
  const newEncoder = (answeredCallIds: ReadonlySet<string>, messages?: JsonObject[]): AgUiEncoder =>
    new AgUiEncoder({ threadId, runId, state, lastSeq, messages, answeredCallIds, clientTools, ...agents });
  const existingInvocationId = findRun(events, runId);
  if (existingInvocationId) {
    const run = { invocationId: existingInvocationId, runId };
    // A client that has lost the connection may have a part of the answer.
    const hasPart = (lastMessage(body.messages)?.role ?? 'user') !== 'user';
    const encoder = newEncoder(new Set(), hasPart ? messagesWithoutRun(events, run) : undefined);
    return repeatRun(call, { ref, session, invocationId: existingInvocationId, encoder });
  }
  const open = pendingInterrupts(session.events);
  const { interrupts, responses } = readAnswers(open, body, { clientTools, now: context.runtime.now() });
  if (interrupts.length > 0 && context.hasAuthorize)
    await call.authorizeAgain({ appName: params.app, userId, action: 'answer', interrupts });
  if (interrupts.length === 0 && parts.length === 0) return threadResponse(newEncoder(new Set()), session);
  const invocationId = invocationOf(interrupts);
  const allParts = [...responses.map((functionResponse) => ({ functionResponse })), ...parts];
  const newMessage: Content | undefined = allParts.length > 0 ? { role: 'user', parts: allParts } : undefined;
  const answeredCallIds = new Set(responses.map(({ id }) => id!));
  const messageIds = messageIdMetadata(body.messages, { hasMessage: parts.length > 0, answeredCallIds });
  const customMetadata = { agUiRunId: runId, ...messageIds };
  try {
    return await streamRun(call, {
      request: {
        ...{ ref, newMessage, invocationId, streaming: true, customMetadata },
        messageId: invocationId === undefined ? messageId : undefined,
        stateDelta: clientStateDelta(body, {
          stored: session.state,
          tools,
          isResume: invocationId !== undefined,
          clientMayWrite: context.clientMayWrite,
        }),
      },
      encoder: newEncoder(answeredCallIds),
    });
  } catch (error) {
    // Two copies of the request may have arrived at the same time. The second one sends the events of the first run.
    const stored = TholeError.is(error, 'INTERRUPT_ANSWERED') && (await runner.sessionService.getSession(ref));
    const firstInvocationId = stored ? findRun(stored.events, runId) : undefined;
    if (firstInvocationId === undefined) throw error;
    return followRun(call, { ref, invocationId: firstInvocationId, encoder: newEncoder(answeredCallIds) });
  }
}

/** Returns the id of the invocation that contains the run with this id. */
function findRun(events: readonly Event[], runId: string): string | undefined {
  return events.find(({ customMetadata }) => customMetadata?.['agUiRunId'] === runId)?.invocationId;
}

/**
 * Returns the id of the invocation that the interrupts belong to. Undefined without interrupts. Throws `INVALID_INPUT` if there
 * are several.
 */
function invocationOf(interrupts: readonly Interrupt[]): string | undefined {
  const ids = new Set(interrupts.map(({ invocationId }) => invocationId));
  if (ids.size > 1)
    throw new TholeError('INVALID_INPUT', 'The answers belong to several runs. Send them in separate requests.');
  const [first] = ids;
  return first;
}

/** Returns the names of agents that run as tools, by tool name. */
function agentToolsOf({ agent }: Runner): Map<string, string> {
  const names = new Map<string, string>();
  for (const each of new AgentTree(agent))
    for (const tool of toolsOf(each)) {
      const { agent: inner } = tool as { agent?: Agent };
      if (inner !== undefined) names.set(tool.name, inner.name);
    }
  return names;
}

/** Returns a response with the stored messages and the state, for a client that opens the session. */
function threadResponse(encoder: AgUiEncoder, { events }: Session): Response {
  const messages = eventFrame('MESSAGES_SNAPSHOT', { messages: threadMessages(events) });
  const frames =
    encoder.start() + messages + encoder.end({ status: 'completed', interrupts: pendingInterrupts(events) });
  return completeSseResponse(frames, { invocationId: '' });
}
