import { isPlainObject } from '@thole/core/kit';
import type { FunctionCall, Json, Part } from '@thole/core';

/** The endpoint of the Gemini API, in `partMetadata.provider` of parts that only it understands. */
export const GEMINI = 'gemini';

/** Members that every provider understands. */
const COMMON: readonly string[] = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'];

/**
 * Returns a part as Gemini gave it, with all its members. It names its endpoint if another endpoint could not send it, and the id
 * of a call if Gemini gave one.
 */
export function ownPart(raw: { readonly [key: string]: unknown }, endpoint: string, call?: FunctionCall): Part {
  const { partMetadata, ...rest } = raw;
  const part = (call ? { ...rest, functionCall: call } : rest) as Part;
  const isOwn = call?.id !== undefined || Object.keys(raw).some((key) => !COMMON.includes(key));
  if (!isOwn) return part;
  part.partMetadata = {
    provider: endpoint,
    ...(call?.id !== undefined && { id: call.id }),
    ...(isPlainObject(partMetadata) && { partMetadata: partMetadata as { [key: string]: Json } }),
  };
  return part;
}

/** Whether a part is nothing but text: pieces of it are put together. */
export function isBareText(part: Part): part is Part & { text: string } {
  if (part.text === undefined) return false;
  for (const key in part) if (key !== 'text' && key !== 'thought' && key !== 'partMetadata') return false;
  return !part.partMetadata || Object.keys(part.partMetadata).length === 1;
}
