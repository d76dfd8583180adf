import type { Content, LlmRequest, Part } from '@thole/core';
import type OpenAI from 'openai';
import type { RequestTarget } from '../openai-options.ts';
import { pairCalls } from './call-ids.ts';
import type { PairedCall } from './call-ids.ts';
import { habitsOf } from './server-habits.ts';
import { toAssistantMessage } from './to-assistant-message.ts';
import type { PlacedPart } from './to-assistant-message.ts';
import { toFilePart, toInlinePart } from './to-chat-media.ts';

type Message = OpenAI.Chat.ChatCompletionMessageParam;
type ContentPart = OpenAI.Chat.ChatCompletionContentPart;

/**
 * The history as messages: neighbours of one role are one message, answers of tools stand right behind the calls, each call
 * is answered (an open one by word that it is pending), and nothing empty is sent.
 */
export function toChatMessages({ contents, config }: LlmRequest, target: RequestTarget): Message[] {
  const habits = habitsOf(target.provider);
  const { calls, strays } = pairCalls(contents, habits.callId);
  const turns = turnsOf(contents, strays);
  const messages: Message[] = config.systemInstruction ? [{ role: 'system', content: config.systemInstruction }] : [];
  for (const [i, turn] of turns.entries()) {
    if (turn.role === 'user') {
      const content = userContent(turn.parts, target.provider);
      if (content) messages.push({ role: 'user', content });
      continue;
    }
    const keepsReasoning = habits.wantsReasoningContent && hasCalls(turns, i);
    const message = toAssistantMessage(turn.parts, calls, target.provider, { ...habits, keepsReasoning });
    if (message) messages.push(message);
    for (const { place } of turn.parts) {
      const call = calls.get(place);
      if (call) messages.push(toolMessage(call));
    }
  }
  return messages;
}

interface Turn {
  readonly role: 'user' | 'model';
  readonly parts: PlacedPart[];
}

/** Answers of tools are no words of the user: they go to their calls. Those to no call of the history are told as text. */
function turnsOf(contents: readonly Content[], strays: ReadonlySet<string>): Turn[] {
  const turns: Turn[] = [];
  let isAnswered = false;
  for (const [i, { role = 'user', parts = [] }] of contents.entries()) {
    const placed = parts.map((part, j) => ({ part, place: `${i}.${j}` }));
    const said = placed.filter(({ part, place }) => !part.functionResponse || strays.has(place));
    const last = turns.at(-1);
    if (said.length < placed.length) isAnswered = true;
    if (said.length === 0) continue;
    if (last?.role === role && !(role === 'model' && isAnswered)) last.parts.push(...said);
    else turns.push({ role, parts: said });
    isAnswered = said.length < placed.length;
  }
  return turns;
}

/** Whether the turn of the conversation (from one word of the user to the next) that holds this message has calls. */
function hasCalls(turns: readonly Turn[], at: number): boolean {
  let [from, to] = [at, at];
  while (turns[from - 1]?.role === 'model') from--;
  while (turns[to + 1]?.role === 'model') to++;
  return turns.slice(from, to + 1).some(({ parts }) => parts.some(({ part }) => part.functionCall));
}

function userContent(parts: readonly PlacedPart[], provider: string): string | ContentPart[] | undefined {
  const sent = parts.flatMap(({ part }) => userPart(part, provider));
  if (sent.length === 0) return undefined;
  // Many servers take text alone; the others take it as well.
  if (!sent.every((part) => part.type === 'text')) return sent;
  return sent.map(({ text }) => text).join('\n');
}

function userPart(part: Part, provider: string): ContentPart[] {
  if (part.inlineData) return [toInlinePart(part.inlineData)];
  if (part.fileData) return [toFilePart(part.fileData, provider)];
  if (part.functionResponse) {
    const { name, response } = part.functionResponse;
    return [{ type: 'text', text: `${name} returned ${JSON.stringify(response)}` }];
  }
  return part.text && !part.thought ? [{ type: 'text', text: part.text }] : [];
}

/** A call that is not answered would be refused. */
const PENDING = { status: 'pending', message: 'There is no answer yet.' };

function toolMessage({ id, answer }: PairedCall): Message {
  return { role: 'tool', tool_call_id: id, content: JSON.stringify(answer?.response ?? PENDING) };
}
