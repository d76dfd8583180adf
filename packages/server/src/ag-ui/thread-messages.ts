import { getFunctionCalls, getFunctionResponses, textOf } from '@thole/core';
import { applyRewinds, isProvisional, requestKindOf } from '@thole/core/kit';
import type { Event, JsonObject, Part } from '@thole/core';
import { contentOf } from './ag-ui-encoder.ts';
import { reasoningIdOf } from './message-stream.ts';
import { toolMessageId } from './new-message.ts';

/**
 * Returns the messages of a stored session for a client that opens it, oldest first. Rewound messages are left out. A message of
 * the user has the id that its client gave it, because a client moves a message with another id to the end of its list.
 */
export function threadMessages(events: readonly Event[]): JsonObject[] {
  const longRunning = new Set<string>();
  const usedIds = new Set<string>();
  return applyRewinds(events).flatMap((event) => {
    for (const id of event.longRunningToolIds ?? []) longRunning.add(id);
    return event.author === 'user'
      ? userMessages(event, usedIds)
      : [...agentMessages(event), ...toolMessages(event, longRunning)];
  });
}

/**
 * Returns the messages of a session without those that a run sends again: the answers of its agents, and results of tools. A client
 * that has lost the connection removes them, because it would append the texts and calls to those that it has already.
 */
export function messagesWithoutRun(
  events: readonly Event[],
  { invocationId, runId }: { invocationId: string; runId: string },
): JsonObject[] {
  let isInRun = false;
  const others = events.flatMap((event) => {
    const eventRunId = event.customMetadata?.['agUiRunId'];
    if (eventRunId === runId) isInRun = true;
    else if (event.invocationId !== invocationId || (event.author === 'user' && eventRunId !== undefined))
      isInRun = false;
    if (!isInRun) return event;
    const parts = event.content?.parts?.filter((part) => !part.functionResponse);
    return event.author === 'user' ? { ...event, content: { ...event.content, parts } } : [];
  });
  return threadMessages(others);
}

function userMessages(event: Event, usedIds: Set<string>): JsonObject[] {
  const clientId = event.customMetadata?.['agUiMessageId'];
  // A client may have sent its message again in another run.
  const id = typeof clientId === 'string' && !usedIds.has(clientId) ? clientId : event.id;
  usedIds.add(id);
  const parts = (event.content?.parts ?? []).filter((part) => !part.functionResponse);
  const isText = parts.every((part) => part.text !== undefined);
  const content = isText ? parts.map(({ text }) => text).join('') : parts.map(toContentPart);
  const message = parts.length > 0 ? [{ id, role: 'user', content }] : [];
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
    return [{ id: toolMessageId(event, toolCallId), role: 'tool', toolCallId, content: contentOf(answer) }];
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
