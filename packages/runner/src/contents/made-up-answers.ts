import type { FunctionCall, FunctionResponse, InterruptKind } from '@thole/core';

/**
 * Returns the answer that the model sees for a call that will never be answered, because its run ended. Never
 * stored.
 */
export function outcomeUnknown(call: FunctionCall): FunctionResponse {
  return answerTo(call, {
    error: 'outcome unknown: the run ended before an answer was recorded. The call may or may not have taken effect.',
  });
}

/** Returns the answer that the model sees for a call that is still open. Never stored. */
export function stillPending(call: FunctionCall): FunctionResponse {
  return answerTo(call, { status: 'pending', message: 'There is no answer yet; it comes later.' });
}

/** Returns the answer that the model sees for a call that waits for a person. Never stored. */
export function waitingFor(call: FunctionCall, kind: InterruptKind): FunctionResponse {
  const what = kind === 'confirmation' ? 'approval' : kind === 'credential' ? 'a sign-in' : 'an answer of the user';
  return answerTo(call, { status: 'pending', message: `Waiting for ${what}. The call has not taken effect.` });
}

/**
 * Returns a note that replaces a late answer. The answer itself is shown earlier, directly after its call. The note shows the
 * model that the answer is new.
 */
export function arrivedNote(name: string): string {
  return `The answer to the earlier call of ${name} has come; it follows that call.`;
}

function answerTo(call: FunctionCall, response: FunctionResponse['response']): FunctionResponse {
  return { ...(call.id !== undefined && { id: call.id }), name: call.name, response };
}
