import type { FunctionResponse, JsonObject } from '@thole/core';

/** An answer to the call with this id; without one it belongs to no call that is sent, and is told as text. */
export function toAnswerItem({ name, response }: FunctionResponse, callId: string | undefined): JsonObject {
  const output = JSON.stringify(response);
  if (callId !== undefined) return { type: 'function_call_output', call_id: callId, output };
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: `${name} returned ${output}` }] };
}

/** Said where a call has no answer: the API refuses one without. */
export function toPendingItem(callId: string): JsonObject {
  const output = JSON.stringify({ status: 'pending', message: 'There is no answer yet.' });
  return { type: 'function_call_output', call_id: callId, output };
}
