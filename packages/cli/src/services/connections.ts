/** Something that is connected until it is closed. */
export interface Connection<T> {
  value: T;
  close(): Promise<void>;
}

/** Connections by name: each is opened once, for whoever asks, and all are closed together. */
export class Connections {
  readonly #opening = new Map<string, Promise<Connection<unknown>>>();

  /** The connection of a name, opened unless it is; of one name there is one type. */
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
