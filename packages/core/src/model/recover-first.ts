/**
 * Returns the items, or those of `recover(error)` if the first step fails. `recover` returns undefined for an error
 * that must be thrown. Its items may be recovered again. It is not a generator, because that would double the cost
 * of each chunk.
 */
export function recoverFirst<T>(
  items: AsyncIterableIterator<T>,
  recover: (error: unknown) => AsyncIterableIterator<T> | undefined,
): AsyncIterableIterator<T> {
  let current = items;
  let isBegun = false;
  return {
    next() {
      if (isBegun) return current.next();
      isBegun = true;
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
