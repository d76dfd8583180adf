import type { Json, JsonObject } from '@thole/core';

/**
 * Collects the citations of all chunks, each once. The Gemini API calls them `citationSources`, Vertex AI `citations`.
 */
export class Citations {
  readonly #known = new Set<string>();
  readonly #citations: Json[] = [];
  #rest: JsonObject = {};

  add(metadata: { readonly [key: string]: unknown }): void {
    const { citationSources, citations, ...rest } = metadata as JsonObject;
    this.#rest = { ...this.#rest, ...rest };
    // Equal citations within one chunk are all kept.
    const added = [citations, citationSources]
      .flatMap((list) => (Array.isArray(list) ? list : []))
      .map((each) => ({ each, key: JSON.stringify(each) }))
      .filter(({ key }) => !this.#known.has(key));
    for (const { each, key } of added) {
      this.#known.add(key);
      this.#citations.push(each);
    }
  }

  toMetadata(): JsonObject {
    return { ...this.#rest, citations: this.#citations };
  }
}
