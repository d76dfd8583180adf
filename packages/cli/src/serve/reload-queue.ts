/** Runs reloads one at a time. Requests while a reload is pending are combined. Requests before `start` are kept. */
export class ReloadQueue {
  #reload: (() => Promise<void>) | undefined;
  #last: Promise<void> = Promise.resolve();
  #isRequested: boolean = false;

  /** Requests a reload. */
  request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.#schedule();
  }

  /** Enables reloads. `reload` must not throw. */
  start(reload: () => Promise<void>): void {
    this.#reload = reload;
    this.#schedule();
  }

  /** Resolves when no reload is active or pending. */
  async idle(): Promise<void> {
    await this.#last;
  }

  #schedule(): void {
    if (!this.#isRequested || !this.#reload) return;
    this.#last = this.#last.then(() => {
      this.#isRequested = false;
      return this.#reload?.();
    });
  }
}
