/** What an entry takes beside its numbers and its text. */
const OVERHEAD_BYTES = 200;

/** Vectors by model, task and text, within a budget of bytes; who was asked for longest ago leaves first. */
export class EmbeddingCache {
  readonly #budget: number;
  // By the text itself and not by a hash of it: nobody can find one that is taken for another's.
  readonly #vectors = new Map<string, Float32Array>();
  #bytes = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  get(key: string): Float32Array | undefined {
    const vector = this.#vectors.get(key);
    if (!vector) return undefined;
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    return vector;
  }

  set(key: string, vector: Float32Array): void {
    this.#remove(key);
    this.#vectors.set(key, vector);
    this.#bytes += bytesOf(key, vector);
    for (const eldest of this.#vectors.keys()) {
      if (this.#bytes <= this.#budget) return;
      this.#remove(eldest);
    }
  }

  clear(): void {
    this.#vectors.clear();
    this.#bytes = 0;
  }

  #remove(key: string): void {
    const vector = this.#vectors.get(key);
    if (!vector) return;
    this.#vectors.delete(key);
    this.#bytes -= bytesOf(key, vector);
  }
}

function bytesOf(key: string, vector: Float32Array): number {
  return vector.byteLength + 2 * key.length + OVERHEAD_BYTES;
}
