/**
 * Returns an error for hooks and for the model: an `Error` with a readable message unchanged, any other thrown value as the cause of
 * a new `Error`. Never throws.
 */
export function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && typeof thrown.message === 'string') return thrown;
  } catch {
    // A getter or a proxy may throw.
  }
  return new Error('A value that is not an Error was thrown.', { cause: thrown });
}
