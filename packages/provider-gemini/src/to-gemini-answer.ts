import { isFromEndpoint, mediaLine } from '@thole/core/kit';
import type { FunctionResponse, JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { canRead } from './readable-media.ts';
import { toGeminiName } from './to-gemini-part.ts';

/**
 * Returns the answer to a call, with Gemini's id of the call. If `includesFiles` is true, it contains the files, and
 * `response.unreadableFiles` has a line with the type of each file that Gemini cannot read.
 */
export function toGeminiAnswer(
  part: Part,
  p: { id: string | undefined; includesFiles: boolean; endpoint: Endpoint },
): JsonObject {
  const { functionResponse, partMetadata, ...rest } = part;
  // `willContinue` is not sent: Gemini would expect more answers to the same call.
  const { id: _, willContinue: __, parts = [], response, ...answer } = functionResponse!;
  const readable = p.includesFiles ? parts.filter((each) => canRead(each)) : [];
  const lines = p.includesFiles ? parts.filter((each) => !canRead(each)).flatMap(lineOf) : [];
  // Members that only Gemini knows are sent unless another endpoint made them.
  const isForeign = partMetadata?.provider !== undefined && !isFromEndpoint(part, p.endpoint);
  const otherMembers = isForeign ? {} : rest;
  return {
    ...(otherMembers as JsonObject),
    functionResponse: {
      ...(p.id !== undefined && { id: p.id }),
      ...(answer as JsonObject),
      name: toGeminiName(answer.name),
      response: lines.length > 0 ? { unreadableFiles: lines, ...response } : response,
      ...(readable.length > 0 && { parts: readable as JsonObject[] }),
    },
  };
}

/** Returns the files of an answer as parts of a message, with a line that names the function. Empty without files. */
export function answerFiles({ name, parts = [] }: FunctionResponse): JsonObject[] {
  if (parts.length === 0) return [];
  const files = parts.flatMap((part): JsonObject[] =>
    canRead(part) ? [part as JsonObject] : lineOf(part).map((text) => ({ text })),
  );
  return [{ text: `Files in the answer of ${name}:` }, ...files];
}

function lineOf({ inlineData, fileData }: NonNullable<FunctionResponse['parts']>[number]): string[] {
  const file = inlineData ?? fileData;
  return file ? [mediaLine(file)] : [];
}
