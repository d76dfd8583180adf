import { isPlainObject } from '@thole/core';
import type { FunctionCall, Json, Part } from '@thole/core';

/** What stands in `partMetadata.provider` of parts that only Gemini understands wholly. */
export const GEMINI = 'gemini';

/** Members that every provider understands. */
const COMMON: readonly string[] = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData'];

/**
 * A part as Gemini gave it, with everything that stands in it. It bears Gemini's name where another provider could not send
 * it, and the id of a call that Gemini gave one.
 */
export function ownPart(raw: { readonly [key: string]: unknown }, call?: FunctionCall): Part {
  const { partMetadata, ...rest } = raw;
  const part = (call ? { ...rest, functionCall: call } : rest) as Part;
  const isOwn = call?.id !== undefined || Object.keys(raw).some((key) => !COMMON.includes(key));
  if (!isOwn) return part;
  part.partMetadata = {
    provider: GEMINI,
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
