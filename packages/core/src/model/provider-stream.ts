/** Functions that a stream needs from its connection. */
export interface StreamTask<R> {
  /** Sends the request and returns the chunks of the answer. */
  open(): Promise<AsyncIterator<R>>;
  /** Returns the error for a failed read. */
  explain(error: unknown): unknown;
  /** Throws if the caller has ended the call: some SDKs treat an abort as the end of the answer. */
  throwIfEnded(): void;
  /** Closes the connection. */
  close(): void;
}

/**
 * The chunks of an answer, as an iterable that closes its connection at the end, after an error, and when the loop
 * is left. It is not a generator, because that would add a tenth to the SDK's time per chunk.
 */
export class ProviderStream<R> implements AsyncIterableIterator<R, undefined> {
  readonly #task: StreamTask<R>;
  #opening: Promise<void> | undefined;
  #chunks: AsyncIterator<R> | undefined;
  #isOver = false;
  readonly #onStep = (step: IteratorResult<R>): IteratorResult<R, undefined> => {
    if (!step.done) return step;
    this.#end();
    this.#task.throwIfEnded();
    return { value: undefined, done: true };
  };
  readonly #onError = (error: unknown): never => {
    this.#end();
    this.#task.throwIfEnded();
    throw this.#task.explain(error);
  };

  constructor(task: StreamTask<R>) {
    this.#task = task;
  }

  next(): Promise<IteratorResult<R, undefined>> {
    if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
    if (this.#chunks) return this.#chunks.next().then(this.#onStep, this.#onError);
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
      this.#chunks = await this.#task.open();
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  // Close the socket first and do not wait for the SDK's iterator: some iterators end only with the socket.
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const chunks = this.#chunks;
    // The abort creates errors whose stacks contain this object. An SDK that keeps them must not keep the answer.
    this.#chunks = undefined;
    this.#task.close();
    Promise.resolve(chunks?.return?.()).catch(noop);
  }
}

function noop(): void {}
