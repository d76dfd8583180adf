import { isFinalResponse, textOf } from '@thole/core';
import { decodeBase64, encodeBase64, isPlainObject, parseJson } from '@thole/core/kit';
import type { Event, JsonObject, Part } from '@thole/core';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { ServedAgent } from './served-agent.ts';

/** Returns a failed result with a text for the client. */
export function toolError(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/**
 * True if the event may be the answer of a call: an error, or a final response with content to show. The empty result of a
 * tool that ends the run is not an answer.
 */
export function isAnswer(event: Event): boolean {
  if (event.partial || event.author === 'user') return false;
  return event.errorCode !== undefined || (isFinalResponse(event) && blocksOf(event).length > 0);
}

/** Returns the result of a call. `answer` is the last answer of the agent, or undefined if the agent did not answer. */
export function toToolResult(agent: ServedAgent, answer: Event | undefined): CallToolResult {
  if (answer?.errorCode) return toolError(`${agent.name} could not answer (${answer.errorCode}).`);
  const content = answer ? blocksOf(answer) : [];
  if (!agent.hasOutputSchema) return { content };
  const output = parseJson(textOf(answer?.content));
  if (output === undefined) return toolError(`${agent.name} returned an answer that does not match its output schema.`);
  // MCP allows only objects if the tool declares no schema.
  return agent.outputSchema || isPlainObject(output) ? { content, structuredContent: output } : { content };
}

/** Returns the content of an event. Consecutive texts are one block. */
function blocksOf({ content }: Event): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  const parts = content?.parts ?? [];
  // The text of an event repeats the result of its agent tool.
  const shown = parts.some(({ text }) => text) ? parts.filter(({ functionResponse }) => !functionResponse) : parts;
  for (const [index, part] of shown.entries()) {
    const block = toBlock(part, index);
    const last = blocks.at(-1);
    if (block?.type === 'text' && last?.type === 'text') last.text += block.text;
    else if (block) blocks.push(block);
  }
  return blocks;
}

function toBlock(part: Part, index: number): ContentBlock | undefined {
  const { text, thought, inlineData, fileData, functionResponse } = part;
  if (thought) return undefined;
  if (text) return { type: 'text', text };
  if (functionResponse) return toTextBlock(functionResponse.response);
  if (inlineData) {
    const { mimeType, displayName } = inlineData;
    const bytes = decodeBase64(inlineData.data);
    // MCP rejects a result with other data, such as base64url.
    if (!bytes) return { type: 'text', text: `[A file of type ${mimeType} is not shown: its data is not base64.]` };
    const data = encodeBase64(bytes);
    if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data };
    if (mimeType.startsWith('audio/')) return { type: 'audio', mimeType, data };
    const uri = `answer:/${encodeURIComponent(displayName ?? String(index))}`;
    return { type: 'resource', resource: { uri, mimeType, blob: data } };
  }
  if (fileData) {
    const { fileUri: uri, mimeType, displayName } = fileData;
    return { type: 'resource_link', uri, name: displayName ?? uri, mimeType };
  }
  return undefined;
}

/** Returns a tool's result as text, for a tool whose result is the answer (`skipSummarization`). */
function toTextBlock(response: JsonObject): ContentBlock | undefined {
  const names = Object.keys(response);
  const result = names.length === 1 && names[0] === 'result' ? response['result'] : response;
  if (names.length === 0 || result === null) return undefined;
  return { type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result) };
}
