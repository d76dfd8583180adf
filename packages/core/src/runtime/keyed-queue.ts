/** Runs asynchronous work one task at a time per key, in the order of the calls. Different keys do not wait for each other. */
export class KeyedQueue {
  /** The last task of each key with a task that has not ended. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** True if a task of the key has not ended. */
  isBusy(key: string): boolean {
    return this.#last.has(key);
  }

  /**
   * Runs the work after all earlier tasks of the key have ended, whether or not they failed; immediately if there are none.
   * Settles as the work does.
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const start = async (): Promise<T> => work();
    const previous = this.#last.get(key);
    const current = previous ? previous.then(start, start) : start();
    this.#last.set(key, current);
    const removeIfLast = (): void => {
      if (this.#last.get(key) === current) this.#last.delete(key);
    };
    current.then(removeIfLast, removeIfLast);
    return current;
  }
}
