import type { Content, FunctionCall, Part, Runtime } from '@thole/core';

/** Ids that begin so were given here: a provider that pairs calls otherwise need not send them. */
const OWN_CALL_ID = 'thole-';

/**
 * The content with an id on every call that no other call of the session has. A model that gives the same call twice in
 * one answer means one; models that count their calls anew in each answer mean others.
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
