/** Returns an error for hooks: an `Error` unchanged, any other thrown value as the cause of a new `Error`. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('A value that is not an Error was thrown.', { cause: thrown });
}
