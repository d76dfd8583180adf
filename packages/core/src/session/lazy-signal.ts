/** An abort signal that is created when it is first read. */
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

  /** Aborts the signal. Returns false, without an effect, if it is aborted already. */
  abort(reason: Error): boolean {
    if (this.#reason !== undefined) return false;
    this.#reason = reason;
    this.#controller?.abort(reason);
    return true;
  }
}
