import { declaredNames, LAST_MESSAGE, mediaLine, newestUserContent, pairCalls, PENDING_ANSWER } from '@thole/core/kit';
import type { Content, FunctionResponse, LlmRequest, Part } from '@thole/core';
import type { PairedCall, PairedCalls } from '@thole/core/kit';
import type OpenAI from 'openai';
import { endpointIn } from '../openai-options.ts';
import type { RequestTarget } from '../openai-options.ts';
import { assignCallIds } from './call-ids.ts';
import { requirementsOf } from './server-requirements.ts';
import { toAssistantMessage } from './to-assistant-message.ts';
import type { PlacedPart } from './to-assistant-message.ts';
import { unsupportedMedia, toMediaPart } from './to-chat-media.ts';

type Message = OpenAI.Chat.ChatCompletionMessageParam;
type ContentPart = OpenAI.Chat.ChatCompletionContentPart;

/**
 * Returns the history as messages. Consecutive contents of one role are one message. Tool answers directly follow
 * the calls, every call has an answer (a pending one for an open call), and empty messages are left out. Files of a tool's
 * answer follow in a user message, because an answer can contain only text. Throws `INVALID_INPUT` for unsupported media
 * in the user's newest message; elsewhere a line of text names their type.
 */
export function toChatMessages({ contents, config }: LlmRequest, target: RequestTarget): Message[] {
  const requirements = requirementsOf(target.provider);
  const pairs = pairCalls(contents);
  const ids = assignCallIds(pairs, requirements.callId);
  const newest = newestUserContent(contents);
  const declared = declaredNames(config);
  const turns = joinTurns(contents, pairs);
  const withCalls = requirements.needsReasoningContent ? findTurnsWithCalls(turns) : undefined;
  const messages: Message[] = config.systemInstruction ? [{ role: 'system', content: config.systemInstruction }] : [];
  const addUser = (content: string | ContentPart[]): void => {
    if (requirements.needsReplyToTools && messages.at(-1)?.role === 'tool')
      messages.push({ role: 'assistant', content: REPLY_TO_TOOLS });
    messages.push({ role: 'user', content });
  };
  for (const turn of turns) {
    if (turn.role === 'user') {
      const content = userContent(turn.parts, target.provider, newest);
      if (content) addUser(content);
      continue;
    }
    const message = toAssistantMessage(turn.parts, (part) => callIdOf(part, pairs, ids), {
      ...requirements,
      endpoint: endpointIn(target),
      keepsReasoning: withCalls?.has(turn) ?? false,
      declared,
    });
    if (message) messages.push(message);
    const calls = turn.parts.flatMap(
      ({ part, content, index }) => (part.functionCall && pairs.at(content, index)) ?? [],
    );
    messages.push(...calls.map((pair) => toolMessage(pair, ids.get(pair)!)));
    const files = calls.flatMap(({ answer }) => (answer ? filesOf(answer, target.provider) : []));
    if (files.length > 0) addUser(joinTexts(files));
  }
  if (messages.at(-1)?.role === 'assistant') messages.push({ role: 'user', content: LAST_MESSAGE });
  return messages;
}

/** Sent between answers of tools and a message of the user to servers that require a message of the model there. */
const REPLY_TO_TOOLS = 'I have received these answers.';

interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: PlacedPart[];
}

/** Joins contents of one role. Answers to calls are left out, except those without a call in the history. */
function joinTurns(contents: readonly Content[], pairs: PairedCalls): Turn[] {
  const turns: Turn[] = [];
  let isAnswered = false;
  for (const [content, { role = 'user', parts = [] }] of contents.entries()) {
    const placed = parts.map((part, index) => ({ part, content, index }));
    const messageParts = placed.filter(({ part, index }) => !part.functionResponse || !pairs.at(content, index));
    const last = turns.at(-1);
    if (messageParts.length < placed.length) isAnswered = true;
    if (messageParts.length === 0) continue;
    if (last?.role === role && !(role === 'model' && isAnswered)) last.parts.push(...messageParts);
    else turns.push({ role, parts: messageParts });
    isAnswered = messageParts.length < placed.length;
  }
  return turns;
}

/** Returns the model's messages between two user messages, if at least one of them has a call. */
function findTurnsWithCalls(turns: readonly Turn[]): ReadonlySet<Turn> {
  const found = new Set<Turn>();
  let current: Turn[] = [];
  let hasCall = false;
  const close = (): void => {
    if (hasCall) for (const turn of current) found.add(turn);
    current = [];
    hasCall = false;
  };
  for (const turn of turns) {
    if (turn.role === 'user') {
      close();
      continue;
    }
    current.push(turn);
    hasCall ||= turn.parts.some(({ part }) => part.functionCall);
  }
  close();
  return found;
}

function callIdOf(
  { content, index }: PlacedPart,
  pairs: PairedCalls,
  ids: ReadonlyMap<PairedCall, string>,
): string | undefined {
  const pair = pairs.at(content, index);
  return pair && ids.get(pair);
}

function userContent(
  parts: readonly PlacedPart[],
  provider: string,
  newest: number,
): string | ContentPart[] | undefined {
  const sent = parts.flatMap(({ part, content }) => userPart(part, provider, content === newest));
  return sent.length > 0 ? joinTexts(sent) : undefined;
}

/** Joins parts that are all text into one string, because many servers accept only strings. */
function joinTexts(parts: ContentPart[]): string | ContentPart[] {
  return parts.every((part) => part.type === 'text') ? parts.map(({ text }) => text).join('\n') : parts;
}

function userPart(part: Part, provider: string, isNewest: boolean): ContentPart[] {
  const { functionResponse: answer } = part;
  const file = part.inlineData ?? part.fileData;
  if (file) {
    const media = toMediaPart(part, provider);
    if (!media && isNewest) throw unsupportedMedia(part);
    return [media ?? { type: 'text', text: mediaLine(file) }];
  }
  if (answer) {
    const text = `${answer.name} returned ${JSON.stringify(answer.response)}`;
    return [{ type: 'text', text }, ...filesOf(answer, provider)];
  }
  return part.text && !part.thought ? [{ type: 'text', text: part.text }] : [];
}

function filesOf({ name, parts = [] }: FunctionResponse, provider: string): ContentPart[] {
  const files = parts.flatMap((part): ContentPart[] => {
    const file = part.inlineData ?? part.fileData;
    return file ? [toMediaPart(part, provider) ?? { type: 'text', text: mediaLine(file) }] : [];
  });
  return files.length > 0 ? [{ type: 'text', text: `Files that belong to the answer of ${name}:` }, ...files] : [];
}

function toolMessage({ answer }: PairedCall, id: string): Message {
  return { role: 'tool', tool_call_id: id, content: JSON.stringify(answer?.response ?? PENDING_ANSWER) };
}
