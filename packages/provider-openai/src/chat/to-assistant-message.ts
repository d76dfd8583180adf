import { codeText, isFromEndpoint, isPlainObject, mediaLine, toSendableName } from '@thole/core/kit';
import type { Json, JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import type OpenAI from 'openai';

/** A part and its position in the history. */
export interface PlacedPart {
  readonly part: Part;
  /** Index of the content. */
  readonly content: number;
  /** Index of the part in its content. */
  readonly index: number;
}

/** The server that receives the message. */
interface AssistantTarget {
  readonly endpoint: Endpoint;
  readonly isOpenAi: boolean;
  readonly keepsReasoning: boolean;
  readonly needsEmptyReasoningContent: boolean;
  /** Names of the functions in the request. */
  readonly declared: ReadonlySet<string>;
}

type Assistant = OpenAI.Chat.ChatCompletionAssistantMessageParam;

/**
 * Returns the texts and calls of the model as a message. Reasoning blocks, file annotations and other data of a server are
 * sent only to that server. Other thoughts are not sent. Executed code is sent as text, and a file of the model as a line
 * with its type, because this API accepts neither. Undefined if the message would be empty.
 */
export function toAssistantMessage(
  parts: readonly PlacedPart[],
  idOf: (part: PlacedPart) => string | undefined,
  p: AssistantTarget,
): Assistant | undefined {
  const text = parts.map(({ part }) => textOfPart(part)).join('');
  const toolCalls = parts.flatMap((placed) => toolCall(placed.part, idOf(placed), p));
  if (text === '' && toolCalls.length === 0) return undefined;
  const ownParts = parts.filter(({ part }) => isFromEndpoint(part, p.endpoint));
  const annotations = ownParts.flatMap(({ part }) => list(part.partMetadata?.['annotations']));
  const thoughts = ownParts.filter(({ part }) => part.thought);
  const details = thoughts.flatMap(({ part }) => list(part.partMetadata?.['reasoning_details']));
  const reasoning = thoughts.map(({ part }) => part.text ?? '').join('');
  const sendsReasoning =
    p.keepsReasoning && (reasoning !== '' || (p.needsEmptyReasoningContent && toolCalls.length > 0));
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(sendsReasoning && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(annotations.length > 0 && { annotations }),
  } as Assistant;
}

function textOfPart(part: Part): string {
  // A thought may be an image.
  if (part.thought) return '';
  if (part.text !== undefined) return part.text;
  const code = codeText(part);
  if (code !== undefined) return `\n${code}\n`;
  const file = part.inlineData ?? part.fileData;
  return file ? `\n${mediaLine(file)}\n` : '';
}

function toolCall(
  part: Part,
  id: string | undefined,
  { declared, endpoint, isOpenAi }: AssistantTarget,
): OpenAI.Chat.ChatCompletionMessageFunctionToolCall[] {
  const { functionCall, partMetadata } = part;
  if (!functionCall || id === undefined) return [];
  const { name, args, brokenArgs } = functionCall;
  const rest = isFromEndpoint(part, endpoint) && isPlainObject(partMetadata?.['call']) ? partMetadata['call'] : {};
  // Other servers parse the arguments in the history. They would reject every later request.
  const sentArgs = (isOpenAi ? brokenArgs : undefined) ?? JSON.stringify(args);
  const calledFunction = { name: toSendableName(name, declared), arguments: sentArgs };
  return [{ ...(rest as JsonObject), id, type: 'function', function: calledFunction }];
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
