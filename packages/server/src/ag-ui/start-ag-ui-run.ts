import { AgentTree, pendingInterrupts, TholeError } from '@thole/core';
import { applyRewinds, isPlainObject } from '@thole/core/kit';
import type { Agent, Content, Event, FunctionDeclaration, Interrupt, Session, SessionRef } from '@thole/core';
import type { Runner } from '@thole/runner';
import { checkedAuthors } from '../front-ends/checked-authors.ts';
import { ensureSession } from '../front-ends/ensure-session.ts';
import { followRun, streamRun } from '../front-ends/stream-run.ts';
import type { RouteCall } from '../route.ts';
import { toolsOf } from '../routes/tools-of.ts';
import { completeSseResponse } from '../runs/sse-response.ts';
import { AgUiEncoder } from './ag-ui-encoder.ts';
import { CLIENT_TOOLS_KEY, clientStateDelta } from './client-state.ts';
import { eventFrame } from './event-frame.ts';
import { newMessageParts } from './new-message.ts';
import { readAnswers } from './read-answers.ts';
import { readClientTools } from './read-client-tools.ts';
import type { RunInput } from './run-input.ts';
import { threadMessages } from './thread-messages.ts';

type Call = RouteCall<RunInput>;

/**
 * Runs what a client of AG-UI requests: a message, answers to interrupts, or results of its tools. A `runId` that the session
 * contains is followed instead. A request with nothing new returns the messages and the state of the session.
 */
export async function startAgUiRun(call: Call): Promise<Response> {
  const { body, context, params, runner } = call;
  const { forwardedProps, resume, runId, threadId } = body;
  const bodyUserId = isPlainObject(forwardedProps) ? forwardedProps['userId'] : undefined;
  if (bodyUserId != null && typeof bodyUserId !== 'string')
    throw new TholeError('INVALID_INPUT', 'body.forwardedProps.userId must be a string.');
  const userId = await call.authorizeUser({
    ...{ appName: params.app, action: resume.length > 0 ? 'answer' : 'run', bodyUserId: bodyUserId ?? undefined },
  });
  const tools = readClientTools(body.tools, runner);
  const parts = newMessageParts(body.messages);
  const ref: SessionRef = { appName: params.app, userId, sessionId: threadId };
  await ensureSession(runner, ref);
  const session = await runner.sessionService.getSession(ref);
  if (!session) throw new TholeError('SESSION_BUSY', `Session "${threadId}" was deleted. Send the request again.`);
  const events = applyRewinds(session.events);
  const clientTools = new Set([...tools, ...storedTools(session)].map(({ name }) => name));
  const newEncoder = (answered: ReadonlySet<string>): AgUiEncoder =>
    encoderOf(call, { session, clientTools, answered });
  const repeated = findRun(events, runId);
  if (repeated) return followRun(call, { ref, invocationId: repeated, encoder: newEncoder(new Set()) });
  const open = pendingInterrupts(session.events);
  const { interrupts, responses } = readAnswers(open, body, { clientTools, now: context.runtime.now() });
  if (interrupts.length > 0 && context.hasAuthorize)
    await call.authorizeAgain({ appName: params.app, userId, action: 'answer', interrupts });
  if (interrupts.length === 0 && parts.length === 0) return threadResponse(newEncoder(new Set()), session);
  const invocationId = invocationOf(interrupts);
  const allParts = [...responses.map((functionResponse) => ({ functionResponse })), ...parts];
  const newMessage: Content | undefined = allParts.length > 0 ? { role: 'user', parts: allParts } : undefined;
  const answered = new Set(responses.map(({ id }) => id!));
  try {
    return await streamRun(call, {
      request: {
        ...{ ref, newMessage, invocationId, streaming: true, customMetadata: { agUiRunId: runId } },
        messageId: invocationId === undefined ? `ag-ui:${runId}` : undefined,
        stateDelta: clientStateDelta(body, {
          stored: session.state,
          tools,
          isResume: invocationId !== undefined,
          clientMayWrite: context.clientMayWrite,
        }),
      },
      encoder: newEncoder(answered),
    });
  } catch (error) {
    // The same request may have arrived twice at the same time.
    const stored = TholeError.is(error, 'INTERRUPT_ANSWERED') && (await runner.sessionService.getSession(ref));
    const first = stored ? findRun(stored.events, runId) : undefined;
    if (first === undefined) throw error;
    return followRun(call, { ref, invocationId: first, encoder: newEncoder(answered) });
  }
}

/** Returns the invocation that contains a run of this id. */
function findRun(events: readonly Event[], runId: string): string | undefined {
  return events.find(({ customMetadata }) => customMetadata?.['agUiRunId'] === runId)?.invocationId;
}

/** Returns the invocation that the interrupts belong to. Throws `INVALID_INPUT` if there are several. */
function invocationOf(interrupts: readonly Interrupt[]): string | undefined {
  const ids = new Set(interrupts.map(({ invocationId }) => invocationId));
  if (ids.size > 1)
    throw new TholeError('INVALID_INPUT', 'The answers belong to several runs. Send them in separate requests.');
  const [first] = ids;
  return first;
}

function encoderOf(
  { body, runner }: Call,
  p: { session: Session; clientTools: ReadonlySet<string>; answered: ReadonlySet<string> },
): AgUiEncoder {
  const { answered, clientTools, session } = p;
  return new AgUiEncoder({
    ...{ threadId: body.threadId, runId: body.runId, state: session.state, lastSeq: session.lastSeq },
    ...{ answered, clientTools, agentTools: agentToolsOf(runner), checkedAuthors: checkedAuthors(runner) },
  });
}

function storedTools({ state }: Session): FunctionDeclaration[] {
  return (state[CLIENT_TOOLS_KEY] ?? []) as unknown as FunctionDeclaration[];
}

/** Returns the names of agents that run as tools, by the names of their tools. */
function agentToolsOf({ agent }: Runner): Map<string, string> {
  const names = new Map<string, string>();
  for (const each of new AgentTree(agent))
    for (const tool of toolsOf(each)) {
      const { agent: inner } = tool as { agent?: Agent };
      if (inner !== undefined) names.set(tool.name, inner.name);
    }
  return names;
}

/** Responds with the stored messages and the state, for a client that opens the session. */
function threadResponse(encoder: AgUiEncoder, { events }: Session): Response {
  const messages = eventFrame('MESSAGES_SNAPSHOT', { messages: threadMessages(events) });
  const frames =
    encoder.start() + messages + encoder.end({ status: 'completed', interrupts: pendingInterrupts(events) });
  return completeSseResponse(frames, { invocationId: '' });
}
