/** Does one reload after the other. What changes while one waits is seen by it; what changes before the first may begin is kept for it. */
export class ReloadQueue {
  #reload: (() => Promise<void>) | undefined;
  #last: Promise<void> = Promise.resolve();
  #waits: boolean = false;

  /** Something has changed. */
  ask(): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#next();
  }

  /** From now on it may be reloaded, by this; it must not throw. */
  begin(reload: () => Promise<void>): void {
    this.#reload = reload;
    this.#next();
  }

  /** Resolves when no reload is going on or waits. */
  async idle(): Promise<void> {
    await this.#last;
  }

  #next(): void {
    if (!this.#waits || !this.#reload) return;
    this.#last = this.#last.then(() => {
      this.#waits = false;
      return this.#reload?.();
    });
  }
}
