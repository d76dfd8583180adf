import { textOf } from '@thole/core';
import type { Event, Part } from '@thole/core';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { ServedAgent } from './served-agent.ts';

/** Returns a failed result with a text for the client. */
export function toolError(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** Returns the result of a call from the last answer of its agent. Undefined: the agent did not answer. */
export function toToolResult(agent: ServedAgent, answer: Event | undefined): CallToolResult {
  if (answer?.errorCode) return toolError(`${agent.name} could not answer (${answer.errorCode}).`);
  const content = (answer?.content?.parts ?? []).flatMap(toBlocks);
  if (!agent.outputSchema) return { content };
  const output = parseJson(textOf(answer?.content));
  if (output === undefined) return toolError(`${agent.name} answered in another form than its output schema.`);
  return { content, structuredContent: output };
}

function toBlocks(part: Part, index: number): ContentBlock[] {
  const { text, thought, inlineData, fileData } = part;
  if (thought) return [];
  if (text) return [{ type: 'text', text }];
  if (inlineData) {
    const { mimeType, data, displayName } = inlineData;
    if (mimeType.startsWith('image/')) return [{ type: 'image', mimeType, data }];
    if (mimeType.startsWith('audio/')) return [{ type: 'audio', mimeType, data }];
    const uri = `answer:/${encodeURIComponent(displayName ?? String(index))}`;
    return [{ type: 'resource', resource: { uri, mimeType, blob: data } }];
  }
  if (fileData) {
    const { fileUri: uri, mimeType, displayName } = fileData;
    return [{ type: 'resource_link', uri, name: displayName ?? uri, mimeType }];
  }
  return [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
