import { isPlainObject } from '@thole/core';
import type { Json, JsonObject, Part } from '@thole/core';
import type OpenAI from 'openai';
import type { PairedCall } from './call-ids.ts';

/** A part and where it stands in the history: `<content>.<part>`. */
export interface PlacedPart {
  readonly part: Part;
  readonly place: string;
}

type Assistant = OpenAI.Chat.ChatCompletionAssistantMessageParam;

/**
 * What the model said and called. Reasoning blocks and what else only one server understands go back to that server alone;
 * thoughts are not sent otherwise. Code that another provider ran is told as text, a file that a model made by its type: this
 * API takes none from a model. Undefined where nothing is left.
 */
export function toAssistantMessage(
  parts: readonly PlacedPart[],
  calls: ReadonlyMap<string, PairedCall>,
  provider: string,
  p: { isOpenAi: boolean; keepsReasoning: boolean; wantsEmptyReasoningContent: boolean },
): Assistant | undefined {
  const text = parts.map(({ part }) => textOfPart(part)).join('');
  const toolCalls = parts.flatMap(({ part, place }) =>
    toolCall(part, calls.get(place), { provider, isOpenAi: p.isOpenAi }),
  );
  if (text === '' && toolCalls.length === 0) return undefined;
  const own = parts.filter(({ part }) => part.thought && part.partMetadata?.provider === provider);
  const details = own.flatMap(({ part }) => list(part.partMetadata?.['reasoning_details']));
  const reasoning = own.map(({ part }) => part.text ?? '').join('');
  const isOwed = p.keepsReasoning && (reasoning !== '' || (p.wantsEmptyReasoningContent && toolCalls.length > 0));
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...(isOwed && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

function textOfPart({ text, thought, executableCode, codeExecutionResult, inlineData, fileData }: Part): string {
  if (text !== undefined) return thought ? '' : text;
  if (executableCode)
    return `\n\`\`\`${(executableCode.language ?? '').toLowerCase()}\n${executableCode.code}\n\`\`\`\n`;
  if (codeExecutionResult)
    return `\n\`\`\`\n${codeExecutionResult.output ?? codeExecutionResult.outcome ?? ''}\n\`\`\`\n`;
  const file = inlineData ?? fileData;
  return file ? `\n[a file of type ${file.mimeType ?? 'unknown'}]\n` : '';
}

function toolCall(
  { functionCall, partMetadata }: Part,
  paired: PairedCall | undefined,
  { provider, isOpenAi }: { provider: string; isOpenAi: boolean },
): OpenAI.Chat.ChatCompletionMessageFunctionToolCall[] {
  if (!functionCall || !paired) return [];
  const { name, args, brokenArgs } = functionCall;
  const rest = partMetadata?.provider === provider && isPlainObject(partMetadata['call']) ? partMetadata['call'] : {};
  // Other servers parse the arguments of a history, and would refuse it from then on.
  const told = { name, arguments: (isOpenAi ? brokenArgs : undefined) ?? JSON.stringify(args) };
  return [{ ...(rest as JsonObject), id: paired.id, type: 'function', function: told }];
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
