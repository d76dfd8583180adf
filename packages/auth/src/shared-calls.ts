import { raceAbort } from '@thole/core/kit';

/** Runs one call per key at a time. Callers that arrive during a call receive its result. */
export class SharedCalls<T> {
  readonly #calls = new Map<string, Promise<T>>();

  /** Calls `work`, or waits for the active call of this key. A caller's abort does not end the shared call. */
  run(key: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return raceAbort(this.#calls.get(key) ?? this.#begin(key, work), signal);
  }

  #begin(key: string, work: () => Promise<T>): Promise<T> {
    const call = work();
    this.#calls.set(key, call);
    const remove = (): void => {
      this.#calls.delete(key);
    };
    call.then(remove, remove);
    return call;
  }
}
