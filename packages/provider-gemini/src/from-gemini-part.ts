import { isPlainObject } from '@thole/core/kit';
import type { FunctionCall, Json, Part } from '@thole/core';

/** Name of the Gemini API's endpoint in `partMetadata.provider` of parts that only it understands. */
export const GEMINI = 'gemini';

/** Members that every provider understands. */
const COMMON: readonly string[] = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'];

/**
 * Returns a part of Gemini with all its members. `partMetadata` names the endpoint if only this endpoint understands the
 * part, and contains the id that Gemini gave the call.
 */
export function fromGeminiPart(raw: { readonly [key: string]: unknown }, endpoint: string, call?: FunctionCall): Part {
  const { partMetadata, ...rest } = raw;
  const part = (call ? { ...rest, functionCall: call } : rest) as Part;
  const isEndpointSpecific = call?.id !== undefined || Object.keys(raw).some((key) => !COMMON.includes(key));
  if (!isEndpointSpecific) return part;
  part.partMetadata = {
    provider: endpoint,
    ...(call?.id !== undefined && { id: call.id }),
    ...(isPlainObject(partMetadata) && { partMetadata: partMetadata as { [key: string]: Json } }),
  };
  return part;
}

/** True if a part contains only text. Such parts of a stream are joined. */
export function isBareText(part: Part): part is Part & { text: string } {
  if (part.text === undefined) return false;
  for (const key in part) if (key !== 'text' && key !== 'thought' && key !== 'partMetadata') return false;
  return !part.partMetadata || Object.keys(part.partMetadata).length === 1;
}
