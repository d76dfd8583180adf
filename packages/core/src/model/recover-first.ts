/**
 * Returns the items, or those of `recover(error)` if the first step fails with an error that it accepts. `recover` returns
 * undefined for an error that must be thrown; its own items may be recovered again. Not a generator: that would cost as much
 * again for each piece of a stream.
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
