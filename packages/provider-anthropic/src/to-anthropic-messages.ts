import { TholeError } from '@thole/core';
import { mediaLine, newestUserContent, pairCalls } from '@thole/core/kit';
import type { Content, FunctionResponse, JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { callIdsOf } from './call-ids.ts';
import { toAssistantBlocks } from './to-assistant-blocks.ts';
import { toMediaBlock } from './to-media-block.ts';

/** The endpoint that receives the messages, and whether Claude may cite documents. */
export interface MessagesTarget {
  readonly endpoint: Endpoint;
  readonly hasCitations: boolean;
}

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
}

/** Sent as the user's message where the API requires one and the history has none. */
const NO_MESSAGE = 'Follow the system instruction.';

/** Sent after a history that ends with the model's words: most models reject those as the last message. */
const GO_ON = 'Continue.';

/**
 * Returns the history as messages. Consecutive contents of one role are one message. Answers to calls are the first
 * blocks of the message after the calls. Every call has one answer: the last one, or one that says it is pending. An
 * answer without a call becomes text. Throws `INVALID_INPUT` for unsupported media in the user's newest message;
 * elsewhere a line of text names their type.
 */
export function toAnthropicMessages(contents: readonly Content[], target: MessagesTarget): JsonObject[] {
  const paired = pairCalls(contents);
  const ids = callIdsOf(paired);
  const newest = newestUserContent(contents);
  const messages: Message[] = [];
  for (const [at, { role, parts = [] }] of contents.entries()) {
    if (role !== 'model') {
      const blocks = parts.flatMap((part, i) =>
        part.functionResponse && paired.at(at, i)
          ? []
          : toUserBlocks(part, `contents[${at}].parts[${i}]`, at === newest, target),
      );
      append(messages, { role: 'user', content: blocks });
      continue;
    }
    const idAt = (i: number): string | undefined => {
      const pair = paired.at(at, i);
      return pair && ids.get(pair);
    };
    append(messages, { role: 'assistant', content: toAssistantBlocks(parts, { endpoint: target.endpoint, idAt }) });
    const calls = paired.calls.filter(({ content }) => content === at);
    append(messages, { role: 'user', content: calls.map((pair) => toResult(pair.answer, ids.get(pair)!, target)) });
    append(messages, { role: 'user', content: shownFiles(parts, target) });
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [said(NO_MESSAGE)] });
  if (messages.at(-1)!.role !== 'user') messages.push({ role: 'user', content: [said(GO_ON)] });
  return messages as unknown as JsonObject[];
}

/** Answers stay in front: `append` is called with them before any other block of the user's message. */
function append(messages: Message[], next: Message): void {
  if (next.content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === next.role) last.content.push(...next.content);
  else messages.push({ role: next.role, content: [...next.content] });
}

const said = (text: string): JsonObject => ({ type: 'text', text });

function toUserBlocks(part: Part, where: string, isNewest: boolean, target: MessagesTarget): JsonObject[] {
  if (part.thought) return [];
  const { functionResponse: answer, executableCode: code, codeExecutionResult: result } = part;
  if (answer) {
    const text = `${answer.name} returned ${JSON.stringify(answer.response)}`;
    return [said(text), ...filesOf(answer, target)];
  }
  const file = part.inlineData ?? part.fileData;
  if (file) {
    const block = toMediaBlock(part, target);
    if (block) return [block];
    if (!isNewest) return [said(mediaLine(file))];
    const type = file.mimeType ?? 'unknown';
    const hint = 'Claude takes JPEG, PNG, GIF and WebP images, PDFs and texts, by https or as bytes';
    throw new TholeError('INVALID_INPUT', `Claude does not accept this file of type ${type} (${where}). ${hint}.`);
  }
  if (code) return [said(code.code)];
  if (result) return result.output ? [said(result.output)] : [];
  // The API rejects blank texts.
  return part.text === undefined || part.text.trim() === '' ? [] : [said(part.text)];
}

/** A call without an answer would be rejected. */
const PENDING = { status: 'pending', message: 'There is no answer yet.' };

function toResult(answer: FunctionResponse | undefined, id: string, target: MessagesTarget): JsonObject {
  const text = JSON.stringify(answer?.response ?? PENDING);
  const files = answer ? filesOf(answer, target) : [];
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: files.length > 0 ? [said(text), ...files] : text,
    ...(typeof answer?.response['error'] === 'string' && { is_error: true }),
  };
}

function filesOf({ parts = [] }: FunctionResponse, target: MessagesTarget): JsonObject[] {
  return parts.flatMap((part) => {
    const file = part.inlineData ?? part.fileData;
    return file ? [toMediaBlock(part, target) ?? said(mediaLine(file))] : [];
  });
}

/** Messages of the model cannot hold files, so a message of the user shows them. */
function shownFiles(parts: readonly Part[], target: MessagesTarget): JsonObject[] {
  const files = parts.map((part) => toMediaBlock(part, target)).filter((block) => block !== undefined);
  return files.length > 0 ? [said('Files of your last message:'), ...files] : [];
}
