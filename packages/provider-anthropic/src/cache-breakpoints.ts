import { estimateTokens, isPlainObject } from '@thole/core/kit';
import type { ContextCacheHint, Json, JsonObject } from '@thole/core';

/** The server keeps a prefix for five minutes unless an hour is requested. */
const SHORT_SECONDS = 300;

/**
 * Returns the body with the four breakpoints that the API allows: after the tools, after the system instruction, and
 * after the last two messages of the user. So the next request reads the complete prefix that this request has written. A
 * lifetime of an hour is requested for a `ttlSeconds` over 300. Returns the body unchanged for a prompt under
 * `minTokens`, and if it already has breakpoints.
 */
export function withCacheBreakpoints(
  body: JsonObject,
  { ttlSeconds = 0, minTokens = 0 }: ContextCacheHint,
): JsonObject {
  const { tools, system, messages } = body;
  const text = minTokens > 0 ? JSON.stringify([tools ?? [], system ?? '', messages ?? []]) : '';
  if (minTokens > 0 && estimateTokens(text) < minTokens) return body;
  if (JSON.stringify(body).includes('"cache_control"')) return body;
  const breakpoint: JsonObject = { type: 'ephemeral', ...(ttlSeconds > SHORT_SECONDS && { ttl: '1h' }) };
  const blocks = typeof system === 'string' ? [{ type: 'text', text: system }] : system;
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: addBreakpoint(tools, breakpoint) }),
    ...(Array.isArray(blocks) && { system: addBreakpoint(blocks, breakpoint) }),
    ...(Array.isArray(messages) && { messages: addToLastTurns(messages, breakpoint) }),
  };
}

function addToLastTurns(messages: readonly Json[], breakpoint: JsonObject): Json[] {
  const userIndexes = messages.flatMap((message, i) =>
    isPlainObject(message) && message['role'] === 'user' ? [i] : [],
  );
  const lastTurns = userIndexes.slice(-2);
  return messages.map((message, i) => {
    if (!lastTurns.includes(i) || !isPlainObject(message) || !Array.isArray(message['content'])) return message;
    return { ...(message as JsonObject), content: addBreakpoint(message['content'], breakpoint) };
  });
}

/** Adds the breakpoint to the last member that is an object. */
function addBreakpoint(list: readonly Json[], breakpoint: JsonObject): Json[] {
  const last = list.findLastIndex((each) => isPlainObject(each));
  return list.map((each, i) => (i === last ? { ...(each as JsonObject), cache_control: breakpoint } : each));
}
