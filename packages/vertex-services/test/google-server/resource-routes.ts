import { missing } from './google-failure.ts';
import type { GoogleAnswer, GoogleRequest, Routes } from './google-server.ts';
import { onlyMembers } from './message-checks.ts';
import type { Operations } from './operations.ts';

const PATH = /^\/v1beta1\/(projects\/[^/]+\/locations\/[^/]+)\/(reasoningEngines|ragCorpora)(?:\/(\d+))?$/;

/** Routes that create and delete Agent Engines and RAG corpora. Other routes do not require that these exist. */
export class ResourceRoutes implements Routes {
  readonly #operations: Operations;
  readonly #names = new Set<string>();
  #count = 0;

  constructor(operations: Operations) {
    this.#operations = operations;
  }

  /** Names of the resources that exist. */
  names(): string[] {
    return [...this.#names];
  }

  answer({ method, path, json }: GoogleRequest): GoogleAnswer | undefined {
    const [, parent, kind, id] = PATH.exec(path) ?? [];
    if (kind === undefined) return undefined;
    if (method === 'POST' && id === undefined) {
      onlyMembers(json, ['displayName', 'description'], kind);
      const name = `${parent}/${kind}/${6_000_000_000 + ++this.#count}`;
      this.#names.add(name);
      return this.#operations.start(name, { name });
    }
    if (method !== 'DELETE' || id === undefined) return undefined;
    const name = `${parent}/${kind}/${id}`;
    if (!this.#names.delete(name)) throw missing(name);
    return this.#operations.start(name);
  }
}
