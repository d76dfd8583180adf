import { TholeError } from '@thole/core';
import { codeText, isFromEndpoint, mediaLine, mediaTypeOf } from '@thole/core/kit';
import type { FunctionCall, InlineData, JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { canReadData } from './readable-media.ts';

/** The endpoint that receives a part, and the place of the part in the history. */
export interface PartTarget {
  readonly endpoint: Endpoint;
  /** True in the user's newest message, where data that Gemini cannot read is rejected. */
  readonly isNewest: boolean;
}

/**
 * Returns a part in Gemini's format. Must not be called for answers to calls. Undefined for empty texts and for data
 * that only another endpoint understands. Parts of this endpoint are sent unchanged, with their signature. Throws
 * `INVALID_INPUT` for data in the newest message that Gemini cannot read; elsewhere a line of text names its type.
 */
export function toGeminiPart(part: Part, target: PartTarget): JsonObject | undefined {
  const { partMetadata, ...rest } = part;
  // Metadata without a provider may be Gemini's `partMetadata`.
  const provider: unknown = partMetadata?.provider;
  const isOwn = isFromEndpoint(part, target.endpoint);
  if (provider !== undefined && !isOwn) return toPlainPart(part, target);
  if (part.thought && !isOwn && part.thoughtSignature === undefined) return undefined;
  const sent: { [key: string]: unknown } = { ...rest };
  sent['partMetadata'] = isOwn ? partMetadata?.['partMetadata'] : partMetadata;
  if (part.functionCall) sent['functionCall'] = toCall(part.functionCall, geminiIdOf(part, target.endpoint));
  if (part.inlineData && !isOwn && !canReadData(part.inlineData)) return replaceUnreadable(part.inlineData, target);
  for (const key of Object.keys(sent)) if (sent[key] === undefined) delete sent[key];
  const isEmpty = Object.keys(sent).every(
    (key) => key === 'thought' || (sent[key] === '' && (key === 'text' || key === 'thoughtSignature')),
  );
  return isEmpty ? undefined : (sent as JsonObject);
}

/**
 * Returns the id that Gemini gave a call. Undefined if Gemini gave none: ids of a runner have no meaning for Gemini, and
 * some of its servers do not support ids.
 */
export function geminiIdOf(part: Part, endpoint: Endpoint): string | undefined {
  const id = isFromEndpoint(part, endpoint) ? part.partMetadata?.['id'] : undefined;
  return typeof id === 'string' && part.functionCall?.id === id ? id : undefined;
}

/** Returns the members that every endpoint understands of a part that another endpoint made. Undefined without any. */
function toPlainPart(part: Part, target: PartTarget): JsonObject | undefined {
  const { text, thought, functionCall, inlineData, fileData } = part;
  if (thought) return undefined;
  if (text) return { text };
  if (functionCall) return { functionCall: toCall(functionCall, undefined) };
  if (inlineData) {
    return canReadData(inlineData)
      ? { inlineData: { ...inlineData } as JsonObject }
      : replaceUnreadable(inlineData, target);
  }
  if (fileData) return { fileData: { ...fileData } as JsonObject };
  if (part.codeExecutionResult && !part.codeExecutionResult.output) return undefined;
  const code = codeText(part);
  return code === undefined ? undefined : { text: code };
}

function toCall(call: FunctionCall, id: string | undefined): JsonObject {
  const { id: _, brokenArgs: __, ...rest } = call;
  return { ...(id !== undefined && { id }), ...rest, name: toGeminiName(call.name) };
}

/** Returns the name of a call or an answer. A model may call a tool without a name, and the API rejects empty names. */
export function toGeminiName(name: string): string {
  return name || '_';
}

/** Returns a line of text instead of data that Gemini cannot read. Throws `INVALID_INPUT` in the newest message. */
function replaceUnreadable(data: InlineData, { isNewest }: PartTarget): JsonObject {
  if (!isNewest) return { text: mediaLine(data) };
  const mimeType = mediaTypeOf(data.mimeType);
  throw new TholeError(
    'INVALID_INPUT',
    `Gemini cannot read ${data.data === '' ? 'empty inlineData' : 'inlineData'} of the MIME type ${mimeType || '(none)'}.`,
    { details: { mimeType } },
  );
}
