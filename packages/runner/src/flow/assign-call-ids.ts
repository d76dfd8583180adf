import type { Content, FunctionCall, Part, Runtime } from '@thole/core';

/** Prefix of ids that this function creates. A provider that pairs calls in another way need not send them. */
const CALL_ID_PREFIX = 'thole-';

/**
 * Returns the content with a unique id for every call of the session. A call that is repeated within one answer is kept once.
 * A call with the id of an earlier answer gets a new id, because some models number their calls in each answer.
 */
export function assignCallIds(content: Content, p: { runtime: Runtime; isKnown(id: string): boolean }): Content {
  if (!content.parts?.some((part) => part.functionCall)) return content;
  const callsById = new Map<string, FunctionCall>();
  const parts: Part[] = [];
  for (const part of content.parts) {
    const call = part.functionCall;
    if (!call) {
      parts.push(part);
      continue;
    }
    const sameId = call.id ? callsById.get(call.id) : undefined;
    if (sameId && isSame(sameId, call)) continue;
    if (call.id && !sameId && !p.isKnown(call.id)) {
      callsById.set(call.id, call);
      parts.push(part);
      continue;
    }
    if (call.id) callsById.set(call.id, call);
    parts.push({ ...part, functionCall: { ...call, id: CALL_ID_PREFIX + p.runtime.newId('call') } });
  }
  return { ...content, parts };
}

function isSame(call: FunctionCall, other: FunctionCall): boolean {
  return call.name === other.name && JSON.stringify(call.args) === JSON.stringify(other.args);
}
