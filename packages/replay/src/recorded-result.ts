import { findNonJson, resolveToJson } from '@thole/core/kit';
import type { Json } from '@thole/core';
import type { RecordedToolCall } from './recording.ts';
import { toJson } from './to-json.ts';

/**
 * Returns the result of a tool as JSON. If the runner cannot store the result, returns the error that the runner shows
 * to the model, because the recording cannot contain the result either.
 */
export function toRecordedResult(tool: string, result: unknown): Pick<RecordedToolCall, 'result' | 'error'> {
  if (result === undefined) return {};
  const resolved = resolveToJson(result);
  const found = findNonJson(resolved, 'result');
  if (!found) return { result: toJson(resolved) as Json };
  const message = `${tool} ran, but its result could not be stored: ${found.path} ${found.problem}.`;
  return { error: { name: 'Error', message } };
}
