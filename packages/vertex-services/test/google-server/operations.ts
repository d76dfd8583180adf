import { missing } from './google-failure.ts';
import type { GoogleAnswer, GoogleRequest, Routes } from './google-server.ts';

/** Long-running operations. */
export class Operations implements Routes {
  /** Number of reads after which an operation is done. 0 means that it is done when it starts. */
  reads = 1;
  readonly #running = new Map<string, { readsLeft: number; result: object }>();
  #count = 0;

  /** Starts an operation whose work was done. */
  start(parent: string, response: object = {}): GoogleAnswer {
    return this.#begin(parent, { response: { '@type': 'type.googleapis.com/response', ...response } });
  }

  /** Starts an operation that fails. */
  fail(parent: string, error: object): GoogleAnswer {
    return this.#begin(parent, { error });
  }

  answer({ method, path }: GoogleRequest): GoogleAnswer | undefined {
    const [, name] = /^\/v1beta1\/(.+\/operations\/\d+)$/.exec(path) ?? [];
    if (name === undefined || method !== 'GET') return undefined;
    const found = this.#running.get(name);
    if (!found) throw missing(name);
    if (--found.readsLeft > 0) return { json: { name } };
    return { json: { name, done: true, ...found.result } };
  }

  #begin(parent: string, result: object): GoogleAnswer {
    const name = `${parent}/operations/${++this.#count}`;
    if (this.reads === 0) return { json: { name, done: true, ...result } };
    this.#running.set(name, { readsLeft: this.reads, result });
    return { json: { name } };
  }
}
