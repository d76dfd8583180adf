import { isPlainObject, requestNames } from '@thole/core/kit';
import type { FunctionResponse, Interrupt, Json, JsonObject } from '@thole/core';

/**
 * Returns the function response that answers an interrupt. `value` is true, false or `{confirmed, payload?, editedArguments?}`
 * for a confirmation, the value for an input, the result for a long-running call, and ADK's auth config for a sign-in.
 */
export function toAnswer({ id, kind, toolName }: Interrupt, value: Json): FunctionResponse {
  const isObject = isPlainObject(value);
  if (kind === 'longRunning')
    return { id, name: toolName ?? '', response: isObject ? (value as JsonObject) : { result: value } };
  const name = requestNames[kind];
  if (kind === 'confirmation' && typeof value === 'boolean') return { id, name, response: { confirmed: value } };
  return { id, name, response: kind !== 'input' && isObject ? (value as JsonObject) : { result: value } };
}
