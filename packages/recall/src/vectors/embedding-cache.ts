/** Approximate memory of a cache entry in addition to its vector and key. */
const OVERHEAD_BYTES = 200;

/** A cache of vectors by key with a maximum size in bytes. Evicts the least recently used vectors. */
export class EmbeddingCache {
  readonly #maxBytes: number;
  // Keys contain the text, not a hash of it, so that two texts never share a vector.
  readonly #vectors = new Map<string, Float32Array>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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
    for (const oldest of this.#vectors.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest);
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
