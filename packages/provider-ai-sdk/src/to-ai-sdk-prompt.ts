import { mediaLine, newestUserContent, pairCalls } from '@thole/core/kit';
import type { Content, FunctionResponse, JsonObject, LlmRequest, Part } from '@thole/core';
import type { PairedCall } from '@thole/core/kit';
import type { RequestTarget } from './ai-sdk-options.ts';
import { callIdsOf } from './call-ids.ts';
import { markOf } from './part-mark.ts';
import { toFileOrLine, toPromptFile, unreadableFile } from './to-ai-sdk-file.ts';
import type { PromptFile } from './to-ai-sdk-file.ts';

/** A part of a message in the AI SDK's form. */
export type PromptPart = JsonObject | PromptFile;

/** A message in the AI SDK's form. */
export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: PromptPart[] };

/**
 * Returns the instruction and the history as messages. Every call has one answer directly after it: the last one, or
 * a pending answer. Consecutive messages of one role are one message, and nothing empty is sent. Files of a tool's
 * answer follow in a user message, which every model understands. Throws `INVALID_INPUT` for a file in the user's
 * newest message that the model cannot read; elsewhere a line of text names its type.
 */
export function toAiSdkPrompt({ contents, config }: LlmRequest, target: RequestTarget): PromptMessage[] {
  const pairs = pairCalls(contents);
  const ids = callIdsOf(pairs);
  const newest = newestUserContent(contents);
  const messages: PromptMessage[] = [];
  if (config.systemInstruction) messages.push({ role: 'system', content: config.systemInstruction });
  const add = (role: 'user' | 'assistant' | 'tool', parts: readonly PromptPart[]): void => {
    const last = messages.at(-1);
    if (parts.length === 0) return;
    if (last && last.role === role) last.content.push(...parts);
    else messages.push({ role, content: [...parts] });
  };
  contents.forEach(({ role, parts = [] }, content) => {
    if (role !== 'model') {
      const isSaid = (part: Part, at: number): boolean => !part.functionResponse || !pairs.at(content, at);
      parts.forEach((part, at) => {
        const where = content === newest ? `contents[${content}].parts[${at}]` : undefined;
        if (isSaid(part, at)) add('user', userParts(part, where, target));
      });
      return;
    }
    const idAt = (at: number): string | undefined => {
      const pair = pairs.at(content, at);
      return pair && ids.get(pair);
    };
    add(
      'assistant',
      parts.flatMap((part, at) => assistantParts(part, idAt(at), target)),
    );
    const calls = callsIn(parts, (at) => pairs.at(content, at));
    add(
      'tool',
      calls.map((pair) => toolResult(pair, ids.get(pair)!)),
    );
    add(
      'user',
      calls.flatMap(({ answer }) => (answer ? filesOf(answer, target) : [])),
    );
  });
  return messages;
}

function callsIn(parts: NonNullable<Content['parts']>, at: (part: number) => PairedCall | undefined): PairedCall[] {
  return parts.flatMap((part, index) => (part.functionCall && at(index)) ?? []);
}

function userParts(part: Part, where: string | undefined, target: RequestTarget): PromptPart[] {
  const { functionResponse: answer } = part;
  if (answer) {
    const text = `${answer.name} returned ${JSON.stringify(answer.response)}`;
    return [{ type: 'text', text }, ...filesOf(answer, target)];
  }
  if (part.inlineData || part.fileData) {
    if (where !== undefined && !toPromptFile(part, target)) throw unreadableFile(part, where, target);
    return [toFileOrLine(part, target)!];
  }
  return part.thought ? [] : textParts(part);
}

/** Parts of this endpoint have their metadata again. Thoughts of other endpoints are not sent. */
function assistantParts(part: Part, callId: string | undefined, target: RequestTarget): PromptPart[] {
  const mark = markOf(part, target.endpoint);
  const { metadata, before = [], after = [] } = mark ?? {};
  const own = metadata && { providerOptions: metadata };
  const { functionCall: call } = part;
  let sent: PromptPart[];
  if (call) {
    sent = [{ type: 'tool-call', toolCallId: callId ?? '', toolName: call.name, input: call.args, ...own }];
  } else if (part.thought) {
    sent = mark && part.text ? [{ type: 'reasoning', text: part.text, ...own }] : [];
  } else if (part.inlineData ?? part.fileData) {
    const file = mark && toPromptFile(part, target);
    sent = [file ? { ...file, ...own } : { type: 'text', text: mediaLine((part.inlineData ?? part.fileData)!) }];
  } else {
    sent = textParts(part).map((each) => ({ ...each, ...own }));
  }
  return [...before, ...sent, ...after];
}

/** Text, and code that a model of another provider ran, as text. */
function textParts({ text, executableCode: code, codeExecutionResult: result }: Part): JsonObject[] {
  if (code) return [{ type: 'text', text: `\`\`\`${code.language?.toLowerCase() ?? ''}\n${code.code}\n\`\`\`` }];
  if (result) return [{ type: 'text', text: `\`\`\`\n${result.output ?? result.outcome ?? ''}\n\`\`\`` }];
  return text ? [{ type: 'text', text }] : [];
}

function filesOf({ name, parts = [] }: FunctionResponse, target: RequestTarget): PromptPart[] {
  const files = parts.flatMap((part) => toFileOrLine(part, target) ?? []);
  return files.length > 0 ? [{ type: 'text', text: `Files that belong to the answer of ${name}:` }, ...files] : [];
}

/** A call without an answer would be rejected. */
const PENDING: JsonObject = { status: 'pending', message: 'There is no answer yet.' };

function toolResult({ call, answer }: PairedCall, toolCallId: string): JsonObject {
  const output = { type: 'json', value: answer?.response ?? PENDING };
  return { type: 'tool-result', toolCallId, toolName: call.name, output };
}
