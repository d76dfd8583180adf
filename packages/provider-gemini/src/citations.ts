import type { Json, JsonObject } from '@thole/core';

/**
 * Collects citations under one name: the Gemini API calls them `citationSources`, Vertex AI `citations`. Chunks of a
 * stream may repeat some.
 */
export class Citations {
  readonly #known = new Set<string>();
  readonly #citations: Json[] = [];
  #rest: JsonObject = {};

  add(metadata: { readonly [key: string]: unknown }): void {
    const { citationSources, citations, ...rest } = metadata as JsonObject;
    this.#rest = { ...this.#rest, ...rest };
    // All citations of one chunk count, even if two of them are equal.
    const fresh = [citations, citationSources]
      .flatMap((list) => (Array.isArray(list) ? list : []))
      .map((each) => ({ each, key: JSON.stringify(each) }))
      .filter(({ key }) => !this.#known.has(key));
    for (const { each, key } of fresh) {
      this.#known.add(key);
      this.#citations.push(each);
    }
  }

  whole(): JsonObject {
    return { ...this.#rest, citations: this.#citations };
  }
}
