import { TholeError } from '@thole/core';
import {
  FIRST_MESSAGE,
  LAST_MESSAGE,
  mediaLine,
  newestUserContent,
  pairCalls,
  PENDING_ANSWER,
  sendableCallIds,
} from '@thole/core/kit';
import type { Content, FunctionResponse, JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { toAssistantBlocks } from './to-assistant-blocks.ts';
import { toMediaBlock } from './to-media-block.ts';

/** The endpoint that receives the messages, and the option `citations`. */
export interface MessagesTarget {
  readonly endpoint: Endpoint;
  /** True if Claude may cite the documents of the request. */
  readonly hasCitations: boolean;
}

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
}

/** Pattern of the ids of calls that the API accepts. */
const VALID_ID = /^[\w-]{1,128}$/;

/**
 * Returns the history as messages. Consecutive contents of one role are one message. Answers to calls are the first
 * blocks of the message after the calls. Every call has one answer: its last answer, or a pending answer. An answer
 * without a call becomes text. Throws `INVALID_INPUT` for unsupported media in the user's newest message;
 * elsewhere a line of text names their type.
 */
export function toAnthropicMessages(contents: readonly Content[], target: MessagesTarget): JsonObject[] {
  const paired = pairCalls(contents);
  const ids = sendableCallIds(paired, VALID_ID);
  const newest = newestUserContent(contents);
  const messages: Message[] = [];
  for (const [index, { role, parts = [] }] of contents.entries()) {
    if (role !== 'model') {
      const blocks = parts.flatMap((part, i) =>
        part.functionResponse && paired.at(index, i)
          ? []
          : toUserBlocks(part, `contents[${index}].parts[${i}]`, index === newest, target),
      );
      append(messages, { role: 'user', content: blocks });
      continue;
    }
    const idAt = (i: number): string | undefined => {
      const pair = paired.at(index, i);
      return pair && ids.get(pair);
    };
    append(messages, { role: 'assistant', content: toAssistantBlocks(parts, { endpoint: target.endpoint, idAt }) });
    const calls = paired.calls.filter(({ content }) => content === index);
    append(messages, { role: 'user', content: calls.map((pair) => toResult(pair.answer, ids.get(pair)!, target)) });
    append(messages, { role: 'user', content: toFileBlocks(parts, target) });
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [toTextBlock(FIRST_MESSAGE)] });
  if (messages.at(-1)!.role !== 'user') messages.push({ role: 'user', content: [toTextBlock(LAST_MESSAGE)] });
  return messages as unknown as JsonObject[];
}

/** Adds a message, or joins it with the last one. Answers to calls must be added before other blocks of the user's message. */
function append(messages: Message[], next: Message): void {
  if (next.content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === next.role) last.content.push(...next.content);
  else messages.push({ role: next.role, content: [...next.content] });
}

const toTextBlock = (text: string): JsonObject => ({ type: 'text', text });

function toUserBlocks(part: Part, location: string, isNewest: boolean, target: MessagesTarget): JsonObject[] {
  if (part.thought) return [];
  const { functionResponse: answer, executableCode: code, codeExecutionResult: result } = part;
  if (answer) {
    const text = `${answer.name} returned ${JSON.stringify(answer.response)}`;
    return [toTextBlock(text), ...filesOf(answer, target)];
  }
  const file = part.inlineData ?? part.fileData;
  if (file) {
    const block = toMediaBlock(part, target);
    if (block) return [block];
    if (!isNewest) return [toTextBlock(mediaLine(file))];
    const type = file.mimeType ?? 'unknown';
    const emptyOrNot = part.inlineData?.data === '' ? 'empty file' : 'file';
    const hint =
      'Claude accepts JPEG, PNG, GIF and WebP images and PDFs as bytes or at an https address, and texts as bytes';
    throw new TholeError(
      'INVALID_INPUT',
      `Claude does not accept this ${emptyOrNot} of type ${type} (${location}). ${hint}.`,
    );
  }
  if (code) return [toTextBlock(code.code)];
  if (result) return result.output ? [toTextBlock(result.output)] : [];
  // The API rejects blank texts.
  return part.text === undefined || part.text.trim() === '' ? [] : [toTextBlock(part.text)];
}

function toResult(answer: FunctionResponse | undefined, id: string, target: MessagesTarget): JsonObject {
  const text = JSON.stringify(answer?.response ?? PENDING_ANSWER);
  const files = answer ? filesOf(answer, target) : [];
  // The API rejects errors with images or documents.
  const isError = typeof answer?.response['error'] === 'string' && files.every(({ type }) => type === 'text');
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: files.length > 0 ? [toTextBlock(text), ...files] : text,
    ...(isError && { is_error: true }),
  };
}

function filesOf({ parts = [] }: FunctionResponse, target: MessagesTarget): JsonObject[] {
  return parts.flatMap((part) => {
    const file = part.inlineData ?? part.fileData;
    return file ? [toMediaBlock(part, target) ?? toTextBlock(mediaLine(file))] : [];
  });
}

/** Returns the files of a model's message for a message of the user, because the model's messages cannot contain files. */
function toFileBlocks(parts: readonly Part[], target: MessagesTarget): JsonObject[] {
  const shown = parts.filter(({ thought }) => !thought);
  const files = shown.map((part) => toMediaBlock(part, target)).filter((block) => block !== undefined);
  return files.length > 0 ? [toTextBlock('Files of your last message:'), ...files] : [];
}
