import { createEvent, TholeError } from '@thole/core';
import { errorFields } from '@thole/core/kit';
import type { Content, Event, Runtime, Session, SessionRef, StateMap } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { HandlerContext } from '../handler-context.ts';

/** A new session for a request that does not name a stored session. */
export interface NewConversation {
  /** Messages of the client before the new message. */
  history: readonly Content[];
  /** True for a session that is deleted after the run. */
  isTemporary: boolean;
  /** Id of the new message. A message that is sent again gets the same session. */
  messageId?: string | undefined;
}

/**
 * Creates a session that contains the history of the client, and returns its reference. The root agent is the author of the
 * answers. The history of a temporary session is marked as a copy, so that not every request adds it to memory again.
 */
export async function openConversation(
  context: Pick<HandlerContext, 'runtime'>,
  runner: Runner,
  p: NewConversation & { userId: string },
): Promise<SessionRef> {
  const { messageId, userId } = p;
  const { appName, sessionService } = runner;
  const sessionId = messageId === undefined ? context.runtime.newId('session') : keyedSessionId(messageId);
  const ref: SessionRef = { appName, userId, sessionId };
  if (messageId !== undefined && (await sessionService.getSession({ ...ref, numRecentEvents: 0 }))) return ref;
  try {
    await createConversation(context, runner, { ...p, ref });
  } catch (error) {
    // Another request with this id has created the session in between.
    if (messageId === undefined || !TholeError.is(error, 'SESSION_ALREADY_EXISTS')) throw error;
  }
  return ref;
}

/** Creates the session of a conversation with its history. `state` is the session's own state. */
export async function createConversation(
  { runtime }: Pick<HandlerContext, 'runtime'>,
  { agent, sessionService }: Runner,
  { history, isTemporary, ref, state }: NewConversation & { ref: SessionRef; state?: StateMap },
): Promise<void> {
  if (history.length === 0) {
    await sessionService.createSession({ ...ref, state });
    return;
  }
  const events = toEvents(history, agent.name, runtime);
  if (sessionService.insertSession) {
    const { sessionId } = ref;
    const origin = { sessionId, incarnation: sessionId, copiedEvents: events.length };
    const forkedFrom = isTemporary ? origin : undefined;
    await sessionService.insertSession({ ...ref, initialState: state, events, forkedFrom });
  } else {
    await sessionService.createSession({ ...ref, state });
    for (const event of events) await sessionService.appendEvent({ session: ref, event });
  }
}

/**
 * Appends messages of a client to a session and returns their events. Waits for an active run of the session, so that no message
 * separates a tool call from its result; a session service without leases does not wait. Throws `SESSION_BUSY` after 30 s.
 */
export async function appendHistory(
  { runtime }: Pick<HandlerContext, 'runtime'>,
  { agent, sessionService }: Runner,
  { history, session, signal }: { history: readonly Content[]; session: Session; signal: AbortSignal },
): Promise<Event[]> {
  const { appName, id: sessionId, incarnation, userId } = session;
  const ref = { appName, userId, sessionId };
  const lease = await sessionService.leasing?.lease(ref, {
    ...{ invocationId: runtime.newId('invocation'), holder: runtime.newId('request'), policy: 'queue', maxWaiting: 16 },
    ...{ waitMs: 30_000, ttlMs: 30_000, cleanupMs: 10_000, signal },
  });
  try {
    const stored: Event[] = [];
    for (const event of toEvents(history, agent.name, runtime))
      stored.push(await sessionService.appendEvent({ session: ref, event, incarnation, fence: lease?.fence }));
    return stored;
  } finally {
    await lease?.release();
  }
}

function toEvents(history: readonly Content[], agentName: string, runtime: Runtime): Event[] {
  let invocationId = '';
  return history.map((content): Event => {
    const isUser = content.role === 'user';
    if (isUser || invocationId === '') invocationId = runtime.newId('invocation');
    return createEvent({ author: isUser ? 'user' : agentName, invocationId, content }, runtime);
  });
}

/** Returns the id of the session that a message with an id begins. */
export function keyedSessionId(messageId: string): string {
  return `key:${messageId}`;
}

/** Deletes the session of a request that has ended. A failure is only logged. */
export async function deleteConversation(
  { runtime }: Pick<HandlerContext, 'runtime'>,
  runner: Runner,
  { appName, userId, sessionId }: SessionRef,
): Promise<void> {
  await runner.deleteSession({ userId, sessionId }).catch((error: unknown) => {
    runtime.logger.warn('A temporary session was not deleted.', { appName, sessionId, ...errorFields(error) });
  });
}
