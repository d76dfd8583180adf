import type { TholeErrorCode } from '../errors/error-codes.ts';

/**
 * Returns the error code for the HTTP status of a model's server, for answers without further information. Undefined
 * below 300. Status 409 is a conflict that a retry can solve, 498 means that Groq's flex tier is full, and 529 is an overload
 * behind some gateways.
 */
export function codeOfStatus(status: number): TholeErrorCode | undefined {
  if (status === 401 || status === 403 || status === 407) return 'MODEL_AUTH';
  if (status === 408 || status === 504) return 'MODEL_TIMEOUT';
  if (status === 429) return 'MODEL_RATE_LIMITED';
  if (status === 409 || status === 498 || status === 503 || status === 529) return 'MODEL_OVERLOADED';
  if (status >= 500) return 'MODEL_UNAVAILABLE';
  return status >= 300 ? 'MODEL_BAD_REQUEST' : undefined;
}
