import type { JsonObject } from '@thole/core';

/** Returns the result of a tool as text. Empty for an error and for an empty result, such as that of `exit_loop`. */
export function textOfResult(response: JsonObject): string {
  const { result, ...others } = response;
  if (Object.keys(others).length > 0) return 'error' in others ? '' : JSON.stringify(response);
  if (result === undefined || result === null) return '';
  return typeof result === 'string' ? result : JSON.stringify(result);
}
