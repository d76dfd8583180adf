import { codeText, isFromEndpoint, mediaLine, toSendableName } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';
import { toMediaBlock } from './to-media-block.ts';
import { readPartMark } from './part-mark.ts';

/**
 * Returns a content of the model as blocks. Thoughts and the tools that Anthropic ran itself are sent back only from
 * parts of this endpoint, unchanged. Of other parts, text, calls and code (as text) are sent. A tool that Anthropic ran
 * is left out if its call or its result was removed from the history, because the API rejects a call without a result and a result without a call.
 */
export function toAssistantBlocks(
  parts: readonly Part[],
  p: { endpoint: Endpoint; idAt(part: number): string | undefined },
): JsonObject[] {
  const blocks = parts.flatMap((part, i) => toBlocks(part, p.endpoint, p.idAt(i)));
  const uses = new Set(blocks.filter(({ type }) => type === 'server_tool_use').map(({ id }) => id));
  const results = new Set(blocks.map((block) => block['tool_use_id']));
  return blocks.filter((block) => {
    if (block['type'] === 'server_tool_use') return results.has(block['id']!);
    return block['tool_use_id'] === undefined || uses.has(block['tool_use_id']);
  });
}

function toBlocks(part: Part, endpoint: Endpoint, id: string | undefined): JsonObject[] {
  const markedBlock = readPartMark(part, endpoint);
  const { functionCall: call, functionResponse: answer } = part;
  if (call) {
    // The API documents this format for arguments that are not JSON.
    const input: JsonObject = call.brokenArgs === undefined ? call.args : { INVALID_JSON: call.brokenArgs };
    return [{ ...markedBlock, type: 'tool_use', id: id ?? '', name: toSendableName(call.name), input }];
  }
  if (part.thought) return toThoughtBlocks(part, markedBlock, endpoint);
  if (markedBlock && markedBlock['type'] !== 'text') return [markedBlock];
  if (answer) return toTextBlocks(`${answer.name} returned ${JSON.stringify(answer.response)}`);
  const code = codeText(part);
  if (code !== undefined) return toTextBlocks(code);
  // The API rejects blank texts.
  if (part.text !== undefined)
    return part.text.trim() === '' ? [] : [{ ...markedBlock, type: 'text', text: part.text }];
  const file = part.inlineData ?? part.fileData;
  return file && !toMediaBlock(part, { hasCitations: false }) ? toTextBlocks(mediaLine(file)) : [];
}

function toThoughtBlocks(part: Part, markedBlock: JsonObject | undefined, endpoint: Endpoint): JsonObject[] {
  if (markedBlock?.['type'] === 'redacted_thinking') return [markedBlock];
  const { text = '', thoughtSignature: signature } = part;
  if (!signature || !isFromEndpoint(part, endpoint)) return [];
  return [{ type: 'thinking', thinking: text, signature }];
}

const toTextBlocks = (text: string): JsonObject[] => [{ type: 'text', text }];
