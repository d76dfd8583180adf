import { estimateTokens, isPlainObject } from '@thole/core/kit';
import type { ContextCacheHint, Json, JsonObject } from '@thole/core';

/** The server keeps a prefix for five minutes unless an hour is requested. */
const SHORT_SECONDS = 300;

/**
 * Returns the body with the four breakpoints that the API allows: after the tools, after the system instruction, and
 * after the last two messages of the user. So the next request reads all that this one has written. An hour is requested
 * for a `ttlSeconds` over 300. Unchanged for a prompt under `minTokens`, and if the body has breakpoints already.
 */
export function withCacheBreakpoints(
  body: JsonObject,
  { ttlSeconds = 0, minTokens = 0 }: ContextCacheHint,
): JsonObject {
  const { tools, system, messages } = body;
  const text = minTokens > 0 ? JSON.stringify([tools ?? [], system ?? '', messages ?? []]) : '';
  if (minTokens > 0 && estimateTokens(text) < minTokens) return body;
  if (JSON.stringify(body).includes('"cache_control"')) return body;
  const mark: JsonObject = { type: 'ephemeral', ...(ttlSeconds > SHORT_SECONDS && { ttl: '1h' }) };
  const blocks = typeof system === 'string' ? [{ type: 'text', text: system }] : system;
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: withMark(tools, mark) }),
    ...(Array.isArray(blocks) && { system: withMark(blocks, mark) }),
    ...(Array.isArray(messages) && { messages: markLastTurns(messages, mark) }),
  };
}

function markLastTurns(messages: readonly Json[], mark: JsonObject): Json[] {
  const places = messages.flatMap((message, i) => (isPlainObject(message) && message['role'] === 'user' ? [i] : []));
  const marked = places.slice(-2);
  return messages.map((message, i) => {
    if (!marked.includes(i) || !isPlainObject(message) || !Array.isArray(message['content'])) return message;
    return { ...(message as JsonObject), content: withMark(message['content'], mark) };
  });
}

/** Marks the last member that is an object. */
function withMark(list: readonly Json[], mark: JsonObject): Json[] {
  const last = list.findLastIndex((each) => isPlainObject(each));
  return list.map((each, i) => (i === last ? { ...(each as JsonObject), cache_control: mark } : each));
}
