import { findNonJson, isPlainObject } from '@thole/core/kit';
import type { Content, FunctionCall, JsonObject, Part } from '@thole/core';

/**
 * Maximum nesting depth of the arguments of a call. Lower than `MAX_JSON_DEPTH`, because events contain the arguments some
 * levels deeper, above all the request for a confirmation.
 */
export const MAX_ARGS_DEPTH = 90;

/**
 * Returns the content with arguments that an event cannot contain as `brokenArgs`: with a number such as `1e999`, or nested
 * too deep. The model then gets an error answer and can repeat the call.
 */
export function keepBrokenArgs(content: Content): Content {
  if (!content.parts?.some(hasBrokenArgs)) return content;
  return { ...content, parts: content.parts.map((part) => (hasBrokenArgs(part) ? withBrokenArgs(part) : part)) };
}

function hasBrokenArgs({ functionCall }: Part): boolean {
  return isPlainObject(functionCall?.args) && problemOf(functionCall.args) !== undefined;
}

function problemOf(args: JsonObject): string | undefined {
  return findNonJson(args, 'arguments', MAX_ARGS_DEPTH)?.problem;
}

function withBrokenArgs(part: Part): Part {
  const call: FunctionCall = part.functionCall!;
  return { ...part, functionCall: { ...call, args: {}, brokenArgs: call.brokenArgs ?? textOf(call.args) } };
}

function textOf(args: JsonObject): string {
  try {
    return JSON.stringify(args, (_key, value: unknown) => (isNotFinite(value) ? String(value) : value));
  } catch {
    // A circular reference, a bigint, or too deep for `JSON.stringify`.
    return `The value ${problemOf(args)}.`;
  }
}

function isNotFinite(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}
