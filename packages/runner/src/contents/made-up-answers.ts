import type { FunctionCall, FunctionResponse } from '@thole/core';

/** What the model is told of a call that nobody will answer any more: its run ended before. Never stored. */
export function outcomeUnknown(call: FunctionCall): FunctionResponse {
  return answerTo(call, {
    error: 'outcome unknown: the run ended before an answer was recorded. The call may or may not have taken effect.',
  });
}

/** What the model is told of a call whose answer is still to come. Never stored. */
export function stillPending(call: FunctionCall): FunctionResponse {
  return answerTo(call, { status: 'pending', message: 'There is no answer yet; it comes later.' });
}

/** Said in the place where an answer came that stands further up, after its call: the model sees that it is new. */
export function arrivedNote(name: string): string {
  return `The answer to the earlier call of ${name} has come; it stands right after that call.`;
}

function answerTo(call: FunctionCall, response: FunctionResponse['response']): FunctionResponse {
  return { ...(call.id !== undefined && { id: call.id }), name: call.name, response };
}
