import { decodeBase64 } from '@thole/core/kit';
import type { Content, Json, JsonObject, Part } from '@thole/core';
import { readableValue } from '../client/struct-value.ts';

const LANGUAGES = ['LANGUAGE_UNSPECIFIED', 'PYTHON'];
const OUTCOMES = ['OUTCOME_UNSPECIFIED', 'OUTCOME_OK', 'OUTCOME_FAILED', 'OUTCOME_DEADLINE_EXCEEDED'];

/**
 * Returns a content with only the members that Vertex AI knows, because it rejects all other members. Parts without such
 * members are left out.
 */
export function toReadableContent({ role, parts = [] }: Content): JsonObject {
  const known = parts.map(toReadablePart).filter((part) => part !== undefined);
  return { ...(role !== undefined && { role }), parts: known };
}

function toReadablePart(part: Part): JsonObject | undefined {
  const data = dataOf(part);
  if (!data) return undefined;
  const { thought, thoughtSignature } = part;
  return {
    ...data,
    ...(typeof thought === 'boolean' && { thought }),
    ...(isBase64(thoughtSignature) && { thoughtSignature }),
  };
}

function dataOf(part: Part): JsonObject | undefined {
  const { text, functionCall, functionResponse, inlineData, fileData, executableCode, codeExecutionResult } = part;
  if (typeof text === 'string') return { text: readableValue(text) };
  if (functionCall) return { functionCall: pick(functionCall, ['id', 'name', 'args']) };
  if (functionResponse) return { functionResponse: pick(functionResponse, ['id', 'name', 'response']) };
  if (inlineData && isBase64(inlineData.data)) return { inlineData: pick(inlineData, ['mimeType', 'data']) };
  if (fileData) return { fileData: pick(fileData, ['fileUri', 'mimeType']) };
  if (executableCode && LANGUAGES.includes(executableCode.language ?? 'PYTHON'))
    return { executableCode: pick(executableCode, ['code', 'language']) };
  if (codeExecutionResult && OUTCOMES.includes(codeExecutionResult.outcome ?? 'OUTCOME_OK'))
    return { codeExecutionResult: pick(codeExecutionResult, ['outcome', 'output']) };
  return undefined;
}

function pick(value: object, names: readonly string[]): JsonObject {
  const members = Object.entries(value).filter(([name]) => names.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, readableValue(member as Json, 1)]));
}

function isBase64(value: unknown): value is string {
  return typeof value === 'string' && decodeBase64(value) !== undefined;
}
