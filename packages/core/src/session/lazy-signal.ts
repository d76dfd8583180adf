/** A signal that costs nothing until somebody looks at it. The first reason counts. */
export class LazySignal {
  #controller: AbortController | undefined;
  #reason: unknown;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Whether this was the first. */
  abort(reason: Error): boolean {
    if (this.#reason !== undefined) return false;
    this.#reason = reason;
    this.#controller?.abort(reason);
    return true;
  }
}
