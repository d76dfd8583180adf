import {
  codeText,
  declaredNames,
  FIRST_MESSAGE,
  LAST_MESSAGE,
  mediaLine,
  newestUserContent,
  pairCalls,
  PENDING_ANSWER,
  sendableCallIds,
  toSendableName,
} from '@thole/core/kit';
import type { FunctionResponse, JsonObject, LlmRequest, Part } from '@thole/core';
import type { PairedCall } from '@thole/core/kit';
import type { RequestTarget } from './ai-sdk-options.ts';
import { readMark } from './part-mark.ts';
import { toFileOrLine, toPromptFile, unreadableFile } from './to-ai-sdk-file.ts';
import type { PromptFile } from './to-ai-sdk-file.ts';

/** A part of a message in the AI SDK's format. */
export type PromptPart = JsonObject | PromptFile;

/** A message in the AI SDK's format. */
export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: MessageRole; readonly content: PromptPart[] };

/** Sent between answers of tools and a message of the user to Mistral, which requires a message of the model there. */
const REPLY_TO_TOOLS = 'I have received these answers.';

/** Pattern of ids of calls that the common providers accept. */
const VALID_ID = /^[\w-]{1,40}$/;

/**
 * Returns the instruction and the history as messages. Every call has one answer directly after it: its last answer,
 * or a pending answer. Consecutive messages of one role are one message, and empty messages are left out. Files of a
 * tool's answer follow in a user message, which every model understands. Throws `INVALID_INPUT` for a file in the user's
 * newest message that the model cannot read; elsewhere a line of text names its type.
 */
export function toAiSdkPrompt({ contents, config }: LlmRequest, target: RequestTarget): PromptMessage[] {
  const pairs = pairCalls(contents);
  const ids = sendableCallIds(pairs, VALID_ID);
  const newest = newestUserContent(contents);
  const declared = declaredNames(config);
  const messages: PromptMessage[] = [];
  if (config.systemInstruction) messages.push({ role: 'system', content: config.systemInstruction });
  const add = (role: MessageRole, parts: readonly PromptPart[]): void => append(messages, role, parts, target);
  for (const [content, { role, parts = [] }] of contents.entries()) {
    const pairAt = (index: number): PairedCall | undefined => pairs.at(content, index);
    if (role !== 'model') {
      for (const [index, part] of parts.entries()) {
        if (part.functionResponse && pairAt(index)) continue;
        add('user', toUserParts(part, content === newest ? `contents[${content}].parts[${index}]` : undefined, target));
      }
      continue;
    }
    const idAt = (index: number): string | undefined => {
      const pair = pairAt(index);
      return pair && ids.get(pair);
    };
    const sent = parts.flatMap((part, index) => toAssistantParts(part, { id: idAt(index), declared }, target));
    const calls = parts.flatMap((part, index) => (part.functionCall && pairAt(index)) ?? []);
    const results = calls.map((pair) => toolResult(pair, { id: ids.get(pair)!, declared }));
    const files = calls.flatMap(({ answer }) => (answer ? filesOf(answer, target) : []));
    add('assistant', sent);
    add('tool', results);
    add('user', files);
  }
  const first = messages.findIndex(({ role }) => role !== 'system');
  if (messages[first]?.role === 'assistant')
    messages.splice(first, 0, { role: 'user', content: [{ type: 'text', text: FIRST_MESSAGE }] });
  const lastRole = messages.at(-1)?.role;
  if (contents.length > 0 && lastRole !== 'user' && lastRole !== 'tool')
    add('user', [{ type: 'text', text: LAST_MESSAGE }]);
  return messages;
}

type MessageRole = 'user' | 'assistant' | 'tool';

/** Adds a message, or joins it with the last message if that has the same role. */
function append(
  messages: PromptMessage[],
  role: MessageRole,
  parts: readonly PromptPart[],
  { endpoint }: RequestTarget,
): void {
  if (parts.length === 0) return;
  const last = messages.at(-1);
  if (last && last.role === role) return void last.content.push(...parts);
  if (last?.role === 'tool' && role === 'user' && /mistral/i.test(endpoint.name))
    messages.push({ role: 'assistant', content: [{ type: 'text', text: REPLY_TO_TOOLS }] });
  messages.push({ role, content: [...parts] });
}

/** `location` is set only in the newest message, where unreadable files are rejected. */
function toUserParts(part: Part, location: string | undefined, target: RequestTarget): PromptPart[] {
  const { functionResponse: answer } = part;
  if (answer) {
    const text = `${answer.name} returned ${JSON.stringify(answer.response)}`;
    return [{ type: 'text', text }, ...filesOf(answer, target)];
  }
  if (part.inlineData || part.fileData) {
    if (location !== undefined && !toPromptFile(part, target)) throw unreadableFile(part, location, target);
    return [toFileOrLine(part, target)!];
  }
  return part.thought ? [] : toTextParts(part);
}

/** The id of a call, and the names of the functions in the request. */
interface SentCall {
  readonly id: string | undefined;
  readonly declared: ReadonlySet<string>;
}

/** Converts a part of the model. Parts of this endpoint are sent with their metadata. Thoughts of other endpoints are not sent. */
function toAssistantParts(part: Part, p: SentCall, target: RequestTarget): PromptPart[] {
  const mark = readMark(part, target.endpoint);
  const { metadata, before = [], after = [] } = mark ?? {};
  const metadataOptions = metadata && { providerOptions: metadata };
  const { functionCall: call } = part;
  let sent: PromptPart[];
  if (call) {
    sent = [
      {
        type: 'tool-call',
        toolCallId: p.id ?? '',
        toolName: toSendableName(call.name, p.declared),
        input: call.args,
        ...metadataOptions,
      },
    ];
  } else if (part.thought) {
    sent = mark && part.text ? [{ type: 'reasoning', text: part.text, ...metadataOptions }] : [];
  } else if (part.inlineData ?? part.fileData) {
    const file = mark && toPromptFile(part, target);
    sent = [
      file ? { ...file, ...metadataOptions } : { type: 'text', text: mediaLine((part.inlineData ?? part.fileData)!) },
    ];
  } else {
    const texts = metadata && part.text ? [{ type: 'text', text: part.text }] : toTextParts(part);
    sent = texts.map((each) => ({ ...each, ...metadataOptions }));
  }
  return [...before, ...sent, ...after];
}

/** Returns a text, or code that a model of another provider ran, as text. */
function toTextParts(part: Part): JsonObject[] {
  const text = codeText(part) ?? part.text;
  // Some APIs reject blank texts.
  return text?.trim() ? [{ type: 'text', text }] : [];
}

function filesOf({ name, parts = [] }: FunctionResponse, target: RequestTarget): PromptPart[] {
  const files = parts.flatMap((part) => toFileOrLine(part, target) ?? []);
  return files.length > 0 ? [{ type: 'text', text: `Files that belong to the answer of ${name}:` }, ...files] : [];
}

function toolResult({ call, answer }: PairedCall, { id, declared }: SentCall & { id: string }): JsonObject {
  const output = { type: 'json', value: answer?.response ?? PENDING_ANSWER };
  return { type: 'tool-result', toolCallId: id, toolName: toSendableName(call.name, declared), output };
}
