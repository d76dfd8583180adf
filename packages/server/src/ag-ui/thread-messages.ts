import { getFunctionCalls, getFunctionResponses, textOf } from '@thole/core';
import { applyRewinds, isProvisional, requestKindOf } from '@thole/core/kit';
import type { Event, JsonObject, Part } from '@thole/core';
import { contentOf } from './ag-ui-encoder.ts';
import { reasoningIdOf } from './message-stream.ts';

/** Returns the messages of a stored session for a client that opens it, oldest first. Rewound messages are left out. */
export function threadMessages(events: readonly Event[]): JsonObject[] {
  const longRunning = new Set<string>();
  return applyRewinds(events).flatMap((event) => {
    for (const id of event.longRunningToolIds ?? []) longRunning.add(id);
    return event.author === 'user'
      ? userMessages(event)
      : [...agentMessages(event), ...toolMessages(event, longRunning)];
  });
}

function userMessages(event: Event): JsonObject[] {
  const parts = (event.content?.parts ?? []).filter((part) => !part.functionResponse);
  const isText = parts.every((part) => part.text !== undefined);
  const content = isText ? parts.map(({ text }) => text).join('') : parts.map(toContentPart);
  const message = parts.length > 0 ? [{ id: event.id, role: 'user', content }] : [];
  return [...toolMessages(event, new Set()), ...message];
}

function agentMessages(event: Event): JsonObject[] {
  const { author, content, id } = event;
  const thoughts = (content?.parts ?? []).filter(({ text, thought }) => thought && text);
  const text = textOf(content);
  const toolCalls = getFunctionCalls(event)
    .filter((call) => call.id !== undefined && requestKindOf(call.name) === undefined)
    .map((call) => ({
      id: call.id!,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.args) },
    }));
  const messages: JsonObject[] = [];
  if (thoughts.length > 0)
    messages.push({ id: reasoningIdOf(id), role: 'reasoning', content: thoughts.map((part) => part.text).join('') });
  if (text !== '' || toolCalls.length > 0)
    messages.push({ id, role: 'assistant', name: author, content: text, ...(toolCalls.length > 0 && { toolCalls }) });
  return messages;
}

function toolMessages(event: Event, longRunning: ReadonlySet<string>): JsonObject[] {
  return getFunctionResponses(event).flatMap((answer) => {
    const { id: toolCallId, name } = answer;
    if (toolCallId === undefined || requestKindOf(name) !== undefined) return [];
    if (isProvisional(event, answer, { isLongRunning: longRunning.has(toolCallId) })) return [];
    return [{ id: `${event.id}:${toolCallId}`, role: 'tool', toolCallId, content: contentOf(answer) }];
  });
}

function toContentPart({ fileData, inlineData, text }: Part): JsonObject {
  if (text !== undefined) return { type: 'text', text };
  const mimeType = inlineData?.mimeType ?? fileData?.mimeType ?? 'application/octet-stream';
  const [kind] = mimeType.split('/');
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
  const source = inlineData
    ? { type: 'data', value: inlineData.data, mimeType }
    : { type: 'url', value: fileData?.fileUri ?? '', mimeType };
  return { type, source };
}
