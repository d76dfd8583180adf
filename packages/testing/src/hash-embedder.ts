import type { Embedder } from '@thole/core';

/** What a `HashEmbedder` calls itself, and the sizes it promises. */
export interface HashEmbedderOptions {
  /** (`hash`) */
  model?: string | undefined;
  /** (1024) */
  dimensions?: number | undefined;
  /** (16) */
  maxBatch?: number | undefined;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * An embedder without a model: words and pairs of characters each add to a place that a hash of them names.
 * Texts that share words are near each other, and the same text has the same vector everywhere. Says nothing about meaning.
 */
export class HashEmbedder implements Embedder {
  readonly specVersion = 1;
  readonly model: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  /** What was asked for, in order. */
  readonly requests: { texts: readonly string[]; task: 'query' | 'document' }[] = [];

  constructor(options: HashEmbedderOptions = {}) {
    this.model = options.model ?? 'hash';
    this.dimensions = options.dimensions ?? 1024;
    this.maxBatch = options.maxBatch ?? 16;
  }

  async embed(
    texts: readonly string[],
    p: { task: 'query' | 'document'; signal?: AbortSignal | undefined },
  ): Promise<Float32Array[]> {
    p.signal?.throwIfAborted();
    if (texts.length > this.maxBatch)
      throw new RangeError(`At most ${this.maxBatch} texts at once, not ${texts.length}.`);
    if (texts.length > 0) this.requests.push({ texts: [...texts], task: p.task });
    return texts.map((text) => this.#vectorOf(text));
  }

  #vectorOf(text: string): Float32Array {
    const vector = new Float32Array(this.dimensions);
    for (const word of text.normalize('NFKC').toLowerCase().match(WORD) ?? []) {
      for (const piece of piecesOf(word)) vector[hash(piece) % this.dimensions]! += 1;
    }
    return vector;
  }
}

// Scripts without spaces give one long word: there the pairs tell, and single characters that are words.
function piecesOf(word: string): string[] {
  const characters = Array.from(word);
  const pairs = characters.slice(1).map((character, i) => characters[i]! + character);
  return [word, word, ...pairs, ...characters.filter((character) => character > '\u2e7f')];
}

/** FNV-1a, mixed once more because small differences should not stay small. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x45d9f3b);
  return (h ^ (h >>> 15)) >>> 0;
}
