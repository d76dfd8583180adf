import { createEvent } from '@thole/core';
import { deepFreeze } from '@thole/core/kit';
import type { Content, Event, EventInit, Json, Part } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import type { ContentsRequest } from '../../src/contents/contents-request.ts';

/** Returns frozen events with `seq` from 1, as a store does. Default of `invocationId`: `i1`. */
export function historyOf(...events: readonly EventInit[]): Event[] {
  const runtime = new FixedRuntime();
  return events.map((event, i) => stored({ id: `e${i + 1}`, invocationId: 'i1', ...event }, i + 1, runtime));
}

export function stored(event: EventInit, seq: number, runtime: FixedRuntime): Event {
  return deepFreeze({ ...createEvent(event, runtime), seq });
}

export const user = (text: string, more: Partial<EventInit> = {}): EventInit => ({
  author: 'user',
  content: { role: 'user', parts: [{ text }] },
  ...more,
});
export const agent = (author: string, text: string, more: Partial<EventInit> = {}): EventInit => ({
  author,
  content: { role: 'model', parts: [{ text }] },
  ...more,
});
export const call = (author: string, id: string, more: Partial<EventInit> = {}): EventInit =>
  callAll(author, [id], more);
export const callAll = (author: string, ids: readonly string[], more: Partial<EventInit> = {}): EventInit => ({
  author,
  content: { role: 'model', parts: ids.map(callPart) },
  ...more,
});
export const answer = (author: string, id: string, result: Json, more: Partial<EventInit> = {}): EventInit => ({
  author,
  content: { role: 'user', parts: [answerPart(id, result)] },
  ...more,
});

export const callPart = (id: string): Part => ({ functionCall: { id, name: `tool_${id}`, args: { of: id } } });
export const answerPart = (id: string, result: Json): Part => ({
  functionResponse: { id, name: `tool_${id}`, response: { result } },
});
export const longRunning = (...ids: string[]): Partial<EventInit> => ({ longRunningToolIds: ids });

export const compaction = (
  eventIds: string[],
  summary: string,
  range: { startSeq: number; endSeq: number },
): EventInit => ({
  author: 'system',
  actions: { compaction: { ...range, eventIds, compactedContent: { role: 'model', parts: [{ text: summary }] } } },
});
export const rewind = (rewindBeforeInvocationId: string): EventInit => ({
  author: 'user',
  actions: { rewindBeforeInvocationId },
});

export const contentsRequest = (more: Partial<ContentsRequest> = {}): ContentsRequest => ({
  agentName: 'a',
  includeContents: 'default',
  invocationId: 'i1',
  ...more,
});

/** Returns a line for each part, such as `user: hello`, `model: call c1` or `user: answer c1 42`. */
export function lines(contents: readonly Content[]): string[] {
  return contents.flatMap((content) => (content.parts ?? []).map((part) => `${content.role}: ${lineOf(part)}`));
}

function lineOf(part: Part): string {
  if (part.functionCall) return `call ${part.functionCall.id ?? part.functionCall.name}`;
  if (part.functionResponse) {
    const { id, name, response } = part.functionResponse;
    const value = response['result'] ?? response['error'] ?? response['status'];
    return `answer ${id ?? name} ${typeof value === 'string' ? value.split(':')[0]! : JSON.stringify(value)}`;
  }
  if (part.thought) return `thought ${part.text}`;
  return part.text ?? Object.keys(part).join();
}
