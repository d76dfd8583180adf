import { textOf, TholeError } from '@thole/core';
import type { Embedder, Logger, MemoryEntry } from '@thole/core';
import { TopK } from '@thole/recall';
import type { MemoryIndex, MemoryRanking, RankRequest, Scored } from '@thole/recall';
import { isNewer } from './is-newer.ts';

/** Cosine between the query's vector and each entry's. Each entry is embedded once for each model. */
export function vectorMemoryRanking(options: { embedder: Embedder; logger: Logger }): MemoryRanking {
  return { atIngest: true, createIndex: () => new VectorMemoryIndex(options.embedder, options.logger) };
}

interface Held {
  readonly id: string;
  readonly text: string;
  readonly timestamp: number;
  /** Of which model's making `vector` is; undefined until it is made. */
  model: string | undefined;
  /** Of length 1; undefined also where the model answered nothing that points anywhere. */
  vector: Float32Array | undefined;
}

class VectorMemoryIndex implements MemoryIndex {
  readonly #embedder: Embedder;
  readonly #logger: Logger;
  readonly #held = new Map<string, Held>();
  // Those that may have no vector of the present model: all, when the model has changed.
  #pending = new Map<string, Held>();
  #pendingModel: string | undefined;
  #embedding: Promise<void> = Promise.resolve();

  constructor(embedder: Embedder, logger: Logger) {
    this.#embedder = embedder;
    this.#logger = logger;
  }

  get bytes(): number {
    return this.#held.size * (200 + 4 * this.#embedder.dimensions);
  }

  put(entry: MemoryEntry): void {
    const { id, content, timestamp = -Infinity } = entry;
    const text = textOf(content);
    const before = this.#held.get(id);
    // A change of anything but the text keeps the vector.
    const known =
      before?.text === text ? { model: before.model, vector: before.vector } : { model: undefined, vector: undefined };
    const held: Held = { id, text, timestamp, ...known };
    this.#held.set(id, held);
    this.#pending.delete(id);
    if (text.trim() !== '' && held.model !== this.#embedder.model) this.#pending.set(id, held);
  }

  remove(id: string): void {
    this.#held.delete(id);
    this.#pending.delete(id);
  }

  prepare(signal: AbortSignal | undefined): Promise<void> {
    const embed = (): Promise<void> => this.#embedPending(signal);
    this.#embedding = this.#embedding.then(embed, embed);
    return this.#embedding;
  }

  async rank(query: string, p: RankRequest): Promise<Scored[]> {
    // Some entries' failure must not hide the others.
    await this.prepare(p.signal).catch((error: unknown) => {
      p.signal?.throwIfAborted();
      if (!TholeError.is(error, 'EMBEDDER_FAILED')) throw error;
      this.#logger.warn('Entries without a vector are not found.', { code: error.code, entries: this.#pending.size });
    });
    const { model } = this.#embedder;
    const [wanted] = await this.#embed([query], 'query', p.signal);
    if (!wanted) return [];
    const candidates: Held[] = [];
    const scores: number[] = [];
    const best = new TopK(p.limit, (a, b) =>
      scores[a] === scores[b] ? isNewer(candidates[a]!, candidates[b]!) : scores[a]! > scores[b]!,
    );
    for (const held of this.#held.values()) {
      if (!held.vector || held.model !== model || held.vector.length !== wanted.length) continue;
      const score = dot(wanted, held.vector);
      if ((p.minScore !== undefined && score < p.minScore) || (p.accepts && !p.accepts(held.id))) continue;
      candidates.push(held);
      scores.push(score);
      best.offer(scores.length - 1);
    }
    return best.sorted().map((i) => ({ id: candidates[i]!.id, score: scores[i]! }));
  }

  async #embedPending(signal: AbortSignal | undefined): Promise<void> {
    const { model, maxBatch } = this.#embedder;
    if (this.#pendingModel !== model) {
      this.#pendingModel = model;
      for (const [id, held] of this.#held)
        if (held.model !== model && held.text.trim() !== '') this.#pending.set(id, held);
    }
    while (this.#pending.size > 0) {
      signal?.throwIfAborted();
      const batch = [...this.#pending.values().take(Math.max(1, maxBatch))];
      const vectors = await this.#embed(
        batch.map((held) => held.text),
        'document',
        signal,
      );
      batch.forEach((held, i) => {
        held.model = model;
        held.vector = vectors[i];
        if (this.#pending.get(held.id) === held) this.#pending.delete(held.id);
      });
    }
  }

  async #embed(
    texts: readonly string[],
    task: 'query' | 'document',
    signal: AbortSignal | undefined,
  ): Promise<(Float32Array | undefined)[]> {
    const embedder = this.#embedder;
    let vectors: Float32Array[];
    try {
      vectors = await embedder.embed(texts, { task, signal });
    } catch (cause) {
      signal?.throwIfAborted();
      if (TholeError.is(cause)) throw cause;
      throw new TholeError('EMBEDDER_FAILED', `Embedder ${embedder.model} failed.`, { cause });
    }
    if (!Array.isArray(vectors) || vectors.length !== texts.length) {
      const count = Array.isArray(vectors) ? vectors.length : 'no list of';
      throw new TholeError(
        'EMBEDDER_FAILED',
        `Embedder ${embedder.model} answered ${count} vectors for ${texts.length} texts.`,
      );
    }
    for (const vector of vectors) {
      if (vector?.length === embedder.dimensions) continue;
      throw new TholeError(
        'EMBEDDER_FAILED',
        `Embedder ${embedder.model} answered a vector of ${vector?.length} numbers; it promises ${embedder.dimensions}.`,
      );
    }
    return vectors.map(unitVector);
  }
}

/** A copy of length 1; undefined for zero vectors and for what is not a number. */
function unitVector(vector: Float32Array): Float32Array | undefined {
  const length = Math.sqrt(dot(vector, vector));
  return Number.isFinite(length) && length > 0 ? Float32Array.from(vector, (x) => x / length) : undefined;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
