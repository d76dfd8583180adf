/**
 * The user's message after a history that ends with a message of the model, as in the second round of a loop. Some models reject such a
 * history, answer nothing, or continue the old text.
 */
export const LAST_MESSAGE = 'Continue.';

/** The user's message before a history that does not begin with one. Some models reject such a history, and an empty history. */
export const FIRST_MESSAGE = 'Follow the system instruction.';

/** The answer to a call without an answer. Providers reject an unanswered call. Must not be changed. */
export const PENDING_ANSWER: { readonly status: string; readonly message: string } = Object.freeze({
  status: 'pending',
  message: 'There is no answer yet.',
});
