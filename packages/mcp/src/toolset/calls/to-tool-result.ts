import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client';
import type { FunctionResponsePart, Json, JsonObject } from '@thole/core';
import { canonicalJson, definedMembers, isPlainObject, parseJson } from '@thole/core/kit';

/** Result of a tool: the answer for the model, and files if there are any. */
export type ToolResult = JsonObject | { response: JsonObject; parts: FunctionResponsePart[] };

/** A text or file inside a result. */
type ResourceContent = ReadResourceResult['contents'][number];

/**
 * Returns the result of an MCP tool as the answer to the model: texts as `result`, structured content as
 * `structuredContent`, texts of resources and links as `resources`, and an error of the tool as `error`. Images, audio and
 * binary resources become parts.
 */
export function toToolResult(result: CallToolResult, maxResultBytes: number): ToolResult {
  const tooLarge = tooLargeError(result, maxResultBytes);
  if (tooLarge) return tooLarge;
  const texts: string[] = [];
  const resources: JsonObject[] = [];
  const parts: FunctionResponsePart[] = [];
  for (const block of result.content) addBlock(block, { texts, resources, parts });
  const { structuredContent: structured, isError } = result as { structuredContent?: Json; isError?: boolean };
  const structuredContent = parts.length > 0 && repeatsBlocks(result, structured) ? undefined : structured;
  const text = texts.join('\n');
  const others: JsonObject = {
    ...(structuredContent !== undefined && { structuredContent }),
    ...(resources.length > 0 && { resources }),
  };
  if (isError) {
    const hasReason = Object.keys(others).length > 0;
    const error = text || (hasReason ? 'The tool failed.' : 'The tool failed and returned no reason.');
    return withParts({ error, ...others }, parts);
  }
  const isRepeated = structuredContent !== undefined && isSameJson(text, structuredContent);
  const response: JsonObject = { ...(text !== '' && !isRepeated && { result: text }), ...others };
  if (Object.keys(response).length === 0) response['result'] = parts.length > 0 ? 'See the files.' : null;
  return withParts(response, parts);
}

/** True if the structured content repeats all blocks. Their files would then also be texts of the answer. */
function repeatsBlocks({ content }: CallToolResult, structuredContent: Json | undefined): boolean {
  if (!isPlainObject(structuredContent)) return false;
  return canonicalJson(structuredContent['content']) === canonicalJson(content as unknown as Json);
}

/** Returns the contents of a resource as the answer to the model. */
export function toResourceResult({ contents }: ReadResourceResult, maxResultBytes: number): ToolResult {
  const tooLarge = tooLargeError(contents, maxResultBytes);
  if (tooLarge) return tooLarge;
  const resources: JsonObject[] = [];
  const parts: FunctionResponsePart[] = [];
  for (const content of contents) addResource(content, { resources, parts });
  return withParts({ resources }, parts);
}

/** Type of bytes whose type the server does not name. An answer cannot contain a file with an empty type. */
const UNKNOWN_TYPE = 'application/octet-stream';

interface CollectedParts {
  readonly resources: JsonObject[];
  readonly parts: FunctionResponsePart[];
}

function addBlock(block: ContentBlock, collected: CollectedParts & { readonly texts: string[] }): void {
  switch (block.type) {
    case 'text':
      collected.texts.push(block.text);
      break;
    case 'image':
    case 'audio':
      collected.parts.push({ inlineData: { mimeType: block.mimeType || UNKNOWN_TYPE, data: block.data } });
      break;
    case 'resource':
      addResource(block.resource, collected);
      break;
    case 'resource_link': {
      const { uri, name, description, mimeType } = block;
      collected.resources.push(definedMembers({ uri, name, description, mimeType }));
    }
  }
}

function addResource(content: ResourceContent, { resources, parts }: CollectedParts): void {
  const { uri, mimeType } = content;
  if ('text' in content && typeof content.text === 'string')
    return void resources.push(definedMembers({ uri, mimeType, text: content.text }));
  const data = (content as { blob: string }).blob;
  parts.push({ inlineData: { mimeType: mimeType || UNKNOWN_TYPE, data, displayName: uri } });
}

function withParts(response: JsonObject, parts: FunctionResponsePart[]): ToolResult {
  return parts.length > 0 ? { response, parts } : response;
}

function isSameJson(text: string, value: Json): boolean {
  return JSON.stringify(parseJson(text)) === JSON.stringify(value);
}

function tooLargeError(value: unknown, maxBytes: number): JsonObject | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes <= maxBytes) return undefined;
  return { error: `The result has ${bytes} bytes, which is more than the limit of ${maxBytes}. Ask for less.` };
}
