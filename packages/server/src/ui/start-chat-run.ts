import { TholeError } from '@thole/core';
import { applyRewinds, canonicalJson } from '@thole/core/kit';
import type { Content, Event, Json, SessionRef } from '@thole/core';
import { ensureSession } from '../front-ends/ensure-session.ts';
import { repeatRun, streamRun } from '../front-ends/stream-run.ts';
import type { RouteCall } from '../route.ts';
import type { RunRequest } from '../runs/start-run.ts';
import { isPlainObject } from '@thole/core/kit';
import { readAnswers } from './chat-answers.ts';
import { messageOf } from './chat-body.ts';
import type { ChatBody, ChatMessage } from './chat-body.ts';
import { UiEncoder, uiStreamHeaders } from './ui-encoder.ts';
import { uiMessageIdOf } from './ui-messages.ts';
import { toUserContent } from './user-content.ts';

type Call = RouteCall<ChatBody>;

/** Processes a request of a page: a message, an edited message, another answer to a message, or answers to interrupts. */
export async function startChatRun(call: Call): Promise<Response> {
  const { body } = call;
  const message = messageOf(body);
  if (body.trigger === 'regenerate-message') return regenerate(call, message);
  if (message.role === 'assistant') return answer(call, message);
  // The page sends `messageId` only if the message replaces another one.
  return body.messageId == null ? submit(call, message) : edit(call, message);
}

async function submit(call: Call, message: ChatMessage): Promise<Response> {
  const newMessage = toUserContent(message.parts);
  const ref = await authorizedRef(call, 'run');
  return run(call, { ref, newMessage, messageId: message.id });
}

/**
 * Replaces a message and removes everything after it. An unchanged message is not processed again. An unstored message is
 * submitted.
 */
async function edit(call: Call, message: ChatMessage): Promise<Response> {
  const newMessage = toUserContent(message.parts);
  const ref = await authorizedRef(call, 'run');
  const session = await call.runner.sessionService.getSession(ref);
  const stored = session && findMessage(applyRewinds(session.events), message.id);
  if (!stored) return run(call, { ref, newMessage, messageId: message.id });
  const { invocationId } = stored;
  if (isSame(stored.content, newMessage))
    return repeatRun(call, { ref, session, invocationId, encoder: new UiEncoder(), headers: uiStreamHeaders });
  if (call.context.hasAuthorize)
    await call.authorizeAgain({ appName: ref.appName, userId: ref.userId, action: 'rewind' });
  return rerun(call, ref, { invocationId, messageId: message.id, newMessage });
}

/** Answers a message again. If the message is not stored because its first request failed, it is submitted. */
async function regenerate(call: Call, message: ChatMessage): Promise<Response> {
  const newMessage = message.role === 'user' ? toUserContent(message.parts) : undefined;
  const ref = await authorizedRef(call, 'rewind');
  if (call.context.hasAuthorize) await call.authorizeAgain({ appName: ref.appName, userId: ref.userId, action: 'run' });
  const events = await readEvents(call, ref);
  const stored = findAnswered(events, call.body.messageId ?? message.id) ?? findMessage(events, message.id);
  if (stored) return rerun(call, ref, { invocationId: stored.invocationId, messageId: uiMessageIdOf(stored) });
  if (newMessage) return run(call, { ref, newMessage, messageId: message.id });
  throw new TholeError('INVOCATION_NOT_FOUND', 'The session does not have the message to answer again.');
}

/** Answers interrupts with the parts of the assistant's message. The stream continues this message. */
async function answer(call: Call, message: ChatMessage): Promise<Response> {
  const ref = await authorizedRef(call, 'answer');
  const { appName, userId, sessionId } = ref;
  const open = await call.runner.pendingInterrupts({ userId, sessionId });
  const { interrupts, responses } = readAnswers(open, call.body, message);
  if (call.context.hasAuthorize) await call.authorizeAgain({ appName, userId, action: 'answer', interrupts });
  const toolCallIds = message.parts.map((part) => (isPlainObject(part) ? part['toolCallId'] : undefined));
  const { invocationId } = interrupts[0]!;
  const earlier = (await readEvents(call, ref)).filter((event) => event.invocationId === invocationId);
  const known = { toolCallIds: new Set(toolCallIds.filter((id) => typeof id === 'string')), interrupts: open };
  const newMessage: Content = { role: 'user', parts: responses.map((functionResponse) => ({ functionResponse })) };
  return run(call, { ref, newMessage, invocationId }, new UiEncoder(known, earlier));
}

function rerun(
  call: Call,
  ref: SessionRef,
  p: { invocationId: string; messageId: string; newMessage?: Content },
): Promise<Response> {
  const { invocationId, messageId, newMessage } = p;
  // The id of the removed event cannot be used again, so the page's id is stored as metadata.
  const customMetadata = { uiMessageId: messageId };
  return run(call, { ref, newMessage, regenerateInvocationId: invocationId, customMetadata });
}

function run(
  call: Call,
  request: Omit<RunRequest, 'streaming' | 'detached' | 'yieldUserMessage'>,
  encoder: UiEncoder = new UiEncoder(),
): Promise<Response> {
  return streamRun(call, { request: { ...request, streaming: true }, encoder, headers: uiStreamHeaders });
}

/** Authorizes the request and returns its session, which is created if needed. */
async function authorizedRef(call: Call, action: 'run' | 'answer' | 'rewind'): Promise<SessionRef> {
  const { body, params } = call;
  const userId = await call.authorizeUser({ appName: params.app, action, bodyUserId: body.userId });
  const ref = { appName: params.app, userId, sessionId: body.id };
  await ensureSession(call, ref);
  return ref;
}

async function readEvents({ runner }: Call, ref: SessionRef): Promise<readonly Event[]> {
  return applyRewinds((await runner.sessionService.getSession(ref))?.events ?? []);
}

/** Returns the stored message with this id. Undefined if there is none. */
function findMessage(events: readonly Event[], messageId: string): Event | undefined {
  return events.findLast((event) => isMessage(event) && uiMessageIdOf(event) === messageId);
}

/** Returns the message that the answer with this id belongs to. */
function findAnswered(events: readonly Event[], answerId: string): Event | undefined {
  const names = [answerId, answerId.replace(/:\d+$/, '')];
  return events.find((event) => isMessage(event) && names.includes(event.invocationId));
}

function isMessage({ author, content }: Event): boolean {
  return author === 'user' && (content?.parts?.some((part) => !part.functionResponse) ?? false);
}

function isSame(stored: Content | undefined, content: Content): boolean {
  return canonicalJson((stored?.parts ?? []) as unknown as Json) === canonicalJson(content.parts as unknown as Json);
}
