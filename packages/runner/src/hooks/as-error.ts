/** The error for hooks: an `Error` unchanged, anything else that was thrown as the cause of one. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('A value that is not an Error was thrown.', { cause: thrown });
}
