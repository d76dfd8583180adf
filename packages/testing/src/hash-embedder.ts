import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Embedder } from '@thole/core';

/** Options of `HashEmbedder`. */
export interface HashEmbedderOptions {
  /** Name of the model. Default: `hash`. */
  model?: string | undefined;
  /** Length of a vector. Default: 1,024. */
  dimensions?: number | undefined;
  /** Maximum number of texts in one call. Default: 16. */
  maxBatch?: number | undefined;
}

const names = optionNames<HashEmbedderOptions>({ model: true, dimensions: true, maxBatch: true });

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * An embedder without a model: the hash of each word and of each pair of characters selects a place of the vector.
 * Texts that share words are near each other, and the same text always has the same vector. Vectors do not represent
 * meaning.
 */
export class HashEmbedder implements Embedder {
  readonly specVersion = 1;
  readonly model: string;
  readonly dimensions: number;
  readonly maxBatch: number;
  /** All calls, in order. */
  readonly requests: { texts: readonly string[]; task: 'query' | 'document' }[] = [];

  constructor(options: HashEmbedderOptions = {}) {
    rejectUnknownOptions(options, names, 'HashEmbedder');
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
      throw new RangeError(`texts must have at most ${this.maxBatch} items (maxBatch), got ${texts.length}.`);
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

// In a script without spaces, a sentence is one word. Its pairs of characters and its characters make it searchable.
function piecesOf(word: string): string[] {
  const characters = Array.from(word);
  const pairs = characters.slice(1).map((character, i) => characters[i]! + character);
  return [word, word, ...pairs, ...characters.filter((character) => character > '\u2e7f')];
}

/** FNV-1a with one more mixing step, so that small differences become large. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x45d9f3b);
  return (h ^ (h >>> 15)) >>> 0;
}
