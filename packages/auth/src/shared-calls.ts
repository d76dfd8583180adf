import { raceAbort } from '@thole/core/kit';

/** Makes one call per key at a time: callers that come during a call get its result. */
export class SharedCalls<T> {
  readonly #calls = new Map<string, Promise<T>>();

  /** Calls `work`, or waits for the call of this key that has begun. A caller's abort does not end the shared call. */
  run(key: string, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return raceAbort(this.#calls.get(key) ?? this.#begin(key, work), signal);
  }

  #begin(key: string, work: () => Promise<T>): Promise<T> {
    const call = work();
    this.#calls.set(key, call);
    const forget = (): void => {
      this.#calls.delete(key);
    };
    call.then(forget, forget);
    return call;
  }
}
