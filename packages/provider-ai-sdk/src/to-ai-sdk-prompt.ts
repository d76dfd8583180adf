import {
  LAST_MESSAGE,
  declaredNames,
  mediaLine,
  newestUserContent,
  pairCalls,
  sendableCallIds,
  toSendableName,
} from '@thole/core/kit';
import type { Content, FunctionResponse, JsonObject, LlmRequest, Part } from '@thole/core';
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
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: PromptPart[] };

/** Sent between answers of tools and a message of the user to Mistral, which requires a message of the model there. */
const REPLY_TO_TOOLS = 'I have received these answers.';

/** Sent if the history does not begin with a message of the user, which some models require. */
const FIRST_MESSAGE = 'Follow the system instruction.';

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
  const add = (role: 'user' | 'assistant' | 'tool', parts: readonly PromptPart[]): void => {
    const last = messages.at(-1);
    if (parts.length === 0) return;
    if (last && last.role === role) return void last.content.push(...parts);
    if (last?.role === 'tool' && role === 'user' && /mistral/i.test(target.endpoint.name))
      messages.push({ role: 'assistant', content: [{ type: 'text', text: REPLY_TO_TOOLS }] });
    messages.push({ role, content: [...parts] });
  };
  contents.forEach(({ role, parts = [] }, content) => {
    if (role !== 'model') {
      const isUserPart = (part: Part, index: number): boolean => !part.functionResponse || !pairs.at(content, index);
      parts.forEach((part, index) => {
        const location = content === newest ? `contents[${content}].parts[${index}]` : undefined;
        if (isUserPart(part, index)) add('user', toUserParts(part, location, target));
      });
      return;
    }
    const idAt = (index: number): string | undefined => {
      const pair = pairs.at(content, index);
      return pair && ids.get(pair);
    };
    add(
      'assistant',
      parts.flatMap((part, index) => toAssistantParts(part, { id: idAt(index), declared }, target)),
    );
    const calls = callsIn(parts, (index) => pairs.at(content, index));
    add(
      'tool',
      calls.map((pair) => toolResult(pair, { id: ids.get(pair)!, declared })),
    );
    add(
      'user',
      calls.flatMap(({ answer }) => (answer ? filesOf(answer, target) : [])),
    );
  });
  const first = messages.findIndex(({ role }) => role !== 'system');
  if (messages[first]?.role === 'assistant')
    messages.splice(first, 0, { role: 'user', content: [{ type: 'text', text: FIRST_MESSAGE }] });
  const lastRole = messages.at(-1)?.role;
  if (contents.length > 0 && lastRole !== 'user' && lastRole !== 'tool')
    add('user', [{ type: 'text', text: LAST_MESSAGE }]);
  return messages;
}

function callsIn(
  parts: NonNullable<Content['parts']>,
  pairAt: (index: number) => PairedCall | undefined,
): PairedCall[] {
  return parts.flatMap((part, index) => (part.functionCall && pairAt(index)) ?? []);
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
function toTextParts({ text, executableCode: code, codeExecutionResult: result }: Part): JsonObject[] {
  if (code) return [{ type: 'text', text: `\`\`\`${code.language?.toLowerCase() ?? ''}\n${code.code}\n\`\`\`` }];
  if (result) return [{ type: 'text', text: `\`\`\`\n${result.output ?? result.outcome ?? ''}\n\`\`\`` }];
  // Some APIs reject blank texts.
  return text?.trim() ? [{ type: 'text', text }] : [];
}

function filesOf({ name, parts = [] }: FunctionResponse, target: RequestTarget): PromptPart[] {
  const files = parts.flatMap((part) => toFileOrLine(part, target) ?? []);
  return files.length > 0 ? [{ type: 'text', text: `Files that belong to the answer of ${name}:` }, ...files] : [];
}

/** Sent for a call without an answer, because providers reject an unanswered call. */
const PENDING: JsonObject = { status: 'pending', message: 'There is no answer yet.' };

function toolResult({ call, answer }: PairedCall, { id, declared }: SentCall & { id: string }): JsonObject {
  const output = { type: 'json', value: answer?.response ?? PENDING };
  return { type: 'tool-result', toolCallId: id, toolName: toSendableName(call.name, declared), output };
}
