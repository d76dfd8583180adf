/** What is forgotten here is read once more, and adds nothing twice. */
const MAX_SESSIONS = 10_000;

/** Up to which `seq` of a session something was done, and of which session of that name. */
export interface Reached {
  seq: number;
  /** Undefined before the session was first read. */
  incarnation: string | undefined;
}

/** A place in each session; those that were not asked for longest are forgotten. */
export class LatestSeqs {
  readonly #reached = new Map<string, Reached>();

  of(key: string): Reached | undefined {
    return this.#reached.get(key);
  }

  set(key: string, reached: Reached): void {
    this.#reached.delete(key);
    this.#reached.set(key, reached);
    if (this.#reached.size > MAX_SESSIONS) this.#reached.delete(this.#reached.keys().next().value!);
  }
}
