/** An open connection. */
export interface Connection<T> {
  value: T;
  close(): Promise<void>;
}

/** Shares connections by name: each is opened once, and all are closed together. */
export class Connections {
  readonly #opening = new Map<string, Promise<Connection<unknown>>>();

  /**
   * Returns the connection with this name, and opens it at the first call. All connections of one name have the same
   * type.
   */
  async open<T>(name: string, open: () => Promise<Connection<T>>): Promise<T> {
    const opening = (this.#opening.get(name) as Promise<Connection<T>> | undefined) ?? open();
    this.#opening.set(name, opening);
    return (await opening).value;
  }

  async close(): Promise<void> {
    const opened = [...this.#opening.values()];
    await Promise.all(opened.map(async (each) => (await each.catch(() => undefined))?.close()));
  }
}
