/**
 * The user's message after a history that ends with a message of the model, as in the second round of a loop. Some models reject such a
 * history, answer nothing, or continue the old text.
 */
export const LAST_MESSAGE = 'Continue.';
