/**
 * Returns the items. If the first step fails, returns the items of `recover(error)` instead. `recover` returns undefined for
 * an error that must be thrown, and may call `recoverFirst` again. It is not a generator, because that would double the cost
 * of each chunk.
 */
export function recoverFirst<T>(
  items: AsyncIterableIterator<T>,
  recover: (error: unknown) => AsyncIterableIterator<T> | undefined,
): AsyncIterableIterator<T> {
  let current = items;
  let hasStarted = false;
  return {
    next() {
      if (hasStarted) return current.next();
      hasStarted = true;
      return current.next().catch((error: unknown) => {
        const others = recover(error);
        if (!others) throw error;
        current = others;
        return current.next();
      });
    },
    return: async () => (await current.return?.()) ?? { value: undefined, done: true },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
