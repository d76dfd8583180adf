/** What a stream needs of the connection that it goes through. */
export interface StreamTask<R> {
  /** Asks, and answers the pieces. */
  open(): Promise<AsyncIterator<R>>;
  /** What a failed read throws. */
  explain(error: unknown): unknown;
  /** Throws where the caller has ended it: some SDKs take an abort for the end. */
  throwIfEnded(): void;
  /** Closes the connection. */
  close(): void;
}

/**
 * The pieces of an answer, as an iterable that closes its connection at the end, after an error, and when it is left. No generator,
 * which would cost a tenth of what an SDK needs for a piece.
 */
export class ProviderStream<R> implements AsyncIterableIterator<R, undefined> {
  readonly #task: StreamTask<R>;
  #opening: Promise<void> | undefined;
  #pieces: AsyncIterator<R> | undefined;
  #isOver = false;
  readonly #take = (step: IteratorResult<R>): IteratorResult<R, undefined> => {
    if (!step.done) return step;
    this.#end();
    this.#task.throwIfEnded();
    return { value: undefined, done: true };
  };
  readonly #fail = (error: unknown): never => {
    this.#end();
    this.#task.throwIfEnded();
    throw this.#task.explain(error);
  };

  constructor(task: StreamTask<R>) {
    this.#task = task;
  }

  next(): Promise<IteratorResult<R, undefined>> {
    if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
    if (this.#pieces) return this.#pieces.next().then(this.#take, this.#fail);
    return (this.#opening ??= this.#open()).then(() => this.next());
  }

  async return(): Promise<IteratorResult<R, undefined>> {
    this.#end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #open(): Promise<void> {
    try {
      this.#pieces = await this.#task.open();
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  // The socket first, and nobody waits for the SDK's iterator: some end only with what they read from.
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#task.close();
    Promise.resolve(this.#pieces?.return?.()).catch(noop);
  }
}

function noop(): void {}
