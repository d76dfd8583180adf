import type { Content, FunctionCall, Part, Runtime } from '@thole/core';

/** Prefix of ids created here: a provider that pairs calls in another way need not send them. */
const OWN_CALL_ID = 'thole-';

/**
 * Returns the content with an id for every call, unique in the session. A call that is repeated within one answer is
 * one call. Models that number their calls again in each answer mean different calls.
 */
export function giveCallIds(content: Content, p: { runtime: Runtime; isKnown(id: string): boolean }): Content {
  if (!content.parts?.some((part) => part.functionCall)) return content;
  const given = new Map<string, FunctionCall>();
  const parts: Part[] = [];
  for (const part of content.parts) {
    const call = part.functionCall;
    if (!call) {
      parts.push(part);
      continue;
    }
    const twin = call.id ? given.get(call.id) : undefined;
    if (twin && isSame(twin, call)) continue;
    if (call.id && !twin && !p.isKnown(call.id)) {
      given.set(call.id, call);
      parts.push(part);
      continue;
    }
    if (call.id) given.set(call.id, call);
    parts.push({ ...part, functionCall: { ...call, id: OWN_CALL_ID + p.runtime.newId('call') } });
  }
  return { ...content, parts };
}

function isSame(one: FunctionCall, other: FunctionCall): boolean {
  return one.name === other.name && JSON.stringify(one.args) === JSON.stringify(other.args);
}
