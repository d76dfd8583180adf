import { mediaLine, PENDING_ANSWER } from '@thole/core/kit';
import type { FunctionResponse, JsonObject } from '@thole/core';
import { toInputContent } from './to-input-content.ts';

/**
 * Returns an answer to the call with this id. Without an id, the answer is a text message. Images and files of the answer
 * follow its text. A line of text replaces a file that this API does not accept.
 */
export function toAnswerItem({ name, response, parts = [] }: FunctionResponse, callId: string | undefined): JsonObject {
  const json = JSON.stringify(response);
  const files = parts.flatMap((part): JsonObject[] => {
    const file = part.inlineData ?? part.fileData;
    return file ? [toInputContent(part) ?? { type: 'input_text', text: mediaLine(file) }] : [];
  });
  if (callId === undefined) {
    const text = `${name} returned ${json}`;
    return { type: 'message', role: 'user', content: [{ type: 'input_text', text }, ...files] };
  }
  const output = files.length > 0 ? [{ type: 'input_text', text: json }, ...files] : json;
  return { type: 'function_call_output', call_id: callId, output };
}

/** Returns a pending answer to an open call, because the API rejects a call without an answer. */
export function toPendingItem(callId: string): JsonObject {
  const output = JSON.stringify(PENDING_ANSWER);
  return { type: 'function_call_output', call_id: callId, output };
}
