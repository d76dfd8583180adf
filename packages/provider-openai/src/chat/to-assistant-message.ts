import { isFromEndpoint, isPlainObject, mediaLine } from '@thole/core/kit';
import type { Json, JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import type OpenAI from 'openai';

/** A part and its position in the history. */
export interface PlacedPart {
  readonly part: Part;
  /** Index of the content. */
  readonly content: number;
  /** Index of the part in its content. */
  readonly at: number;
}

/** The server that receives the message. */
interface AssistantTarget {
  readonly endpoint: Endpoint;
  readonly isOpenAi: boolean;
  readonly keepsReasoning: boolean;
  readonly wantsEmptyReasoningContent: boolean;
}

type Assistant = OpenAI.Chat.ChatCompletionAssistantMessageParam;

/**
 * Returns the texts and calls of the model as a message. Reasoning blocks and other data of one server go back to
 * that server only; other thoughts are not sent. Code that another provider ran is sent as text, a file of the model
 * as its type, because this API accepts neither. File annotations of OpenRouter go back too. Undefined if nothing is
 * left.
 */
export function toAssistantMessage(
  parts: readonly PlacedPart[],
  idOf: (part: PlacedPart) => string | undefined,
  p: AssistantTarget,
): Assistant | undefined {
  const text = parts.map(({ part }) => textOfPart(part)).join('');
  const toolCalls = parts.flatMap((placed) => toolCall(placed.part, idOf(placed), p));
  if (text === '' && toolCalls.length === 0) return undefined;
  const made = parts.filter(({ part }) => isFromEndpoint(part, p.endpoint));
  const annotations = made.flatMap(({ part }) => list(part.partMetadata?.['annotations']));
  const own = made.filter(({ part }) => part.thought);
  const details = own.flatMap(({ part }) => list(part.partMetadata?.['reasoning_details']));
  const reasoning = own.map(({ part }) => part.text ?? '').join('');
  const isOwed = p.keepsReasoning && (reasoning !== '' || (p.wantsEmptyReasoningContent && toolCalls.length > 0));
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(isOwed && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(annotations.length > 0 && { annotations }),
  } as Assistant;
}

function textOfPart({ text, thought, executableCode, codeExecutionResult, inlineData, fileData }: Part): string {
  if (text !== undefined) return thought ? '' : text;
  if (executableCode)
    return `\n\`\`\`${(executableCode.language ?? '').toLowerCase()}\n${executableCode.code}\n\`\`\`\n`;
  if (codeExecutionResult)
    return `\n\`\`\`\n${codeExecutionResult.output ?? codeExecutionResult.outcome ?? ''}\n\`\`\`\n`;
  const file = inlineData ?? fileData;
  return file ? `\n${mediaLine(file)}\n` : '';
}

function toolCall(
  part: Part,
  id: string | undefined,
  { endpoint, isOpenAi }: AssistantTarget,
): OpenAI.Chat.ChatCompletionMessageFunctionToolCall[] {
  const { functionCall, partMetadata } = part;
  if (!functionCall || id === undefined) return [];
  const { name, args, brokenArgs } = functionCall;
  const rest = isFromEndpoint(part, endpoint) && isPlainObject(partMetadata?.['call']) ? partMetadata['call'] : {};
  // Other servers parse the arguments of a history and would reject it from then on.
  const calledFunction = { name, arguments: (isOpenAi ? brokenArgs : undefined) ?? JSON.stringify(args) };
  return [{ ...(rest as JsonObject), id, type: 'function', function: calledFunction }];
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
