/** Work of one key is done one after the other, in the order in which it came; other keys do not wait. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work when what came before for this key has ended, well or not. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(key, mine);
    const letGo = (): void => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(letGo, letGo);
    return mine;
  }
}
