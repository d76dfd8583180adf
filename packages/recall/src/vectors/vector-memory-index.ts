import { textOf } from '@thole/core';
import type { Logger, MemoryEntry, MemoryScope, VectorStore } from '@thole/core';
import { isNewer } from '../service/is-newer.ts';
import type { MemoryIndex, RankRequest } from '../service/memory-index.ts';
import type { Scored } from '../service/scored.ts';
import type { Steps } from '../service/time-slicer.ts';
import type { EmbeddingClient } from './embedding-client.ts';
import { combineScores } from './combine-scores.ts';
import { EntryEmbedder } from './entry-embedder.ts';
import type { VectorEntry } from './entry-embedder.ts';
import type { VectorRankingOptions } from './vector-memory-ranking.ts';

/** Minimum number of candidates by words, and by vectors, in a hybrid ranking. */
const MIN_HYBRID_CANDIDATES = 200;
/** Number of results requested beyond the limit: equal scores are ordered by time here, but by id in a store. */
const EXTRA_RESULTS = 16;
/** Largest limit of a query that every store can read. */
const MAX_QUERY_LIMIT = 2 ** 31 - 1;
/** Time after a failed query in milliseconds in which queries are not retried. */
const FAIL_FAST_MS = 10_000;

/** One user's entries, ranked by the cosine of vectors in a store, or by words and cosine. */
export class VectorMemoryIndex implements MemoryIndex {
  readonly #client: EmbeddingClient;
  readonly #store: VectorStore;
  readonly #scope: MemoryScope;
  readonly #words: MemoryIndex;
  readonly #kind: 'vector' | 'hybrid';
  readonly #weight: number;
  readonly #log: Logger;
  readonly #clock: () => number;
  readonly #entries = new Map<string, VectorEntry>();
  readonly #embedder: EntryEmbedder;
  readonly #onDispose: (index: VectorMemoryIndex) => void;
  #textBytes = 0;
  /** Monotonic time in milliseconds. Before it, a failed query is not retried. */
  #failFastUntil = -Infinity;

  constructor(
    p: VectorRankingOptions & { scope: MemoryScope; words: MemoryIndex; onDispose: (index: VectorMemoryIndex) => void },
  ) {
    const { client, store, log, scope, runtime } = p;
    this.#client = client;
    this.#store = store;
    this.#scope = scope;
    this.#words = p.words;
    this.#kind = p.kind;
    this.#weight = p.weight;
    this.#log = runtime.logger;
    this.#clock = () => runtime.monotonic();
    this.#embedder = new EntryEmbedder({ client, store, log, scope }, this.#entries, runtime);
    this.#onDispose = p.onDispose;
  }

  get bytes(): number {
    return this.#words.bytes + this.#textBytes + this.#entries.size * 250;
  }

  put(entry: MemoryEntry): void {
    const { id, content, timestamp = -Infinity } = entry;
    this.#words.put(entry);
    const text = textOf(content);
    const before = this.#entries.get(id);
    this.#textBytes += 2 * (text.length - (before?.text.length ?? 0));
    if (before?.text === text) {
      before.timestamp = timestamp;
      // Another process may have changed the text and changed it back. The first change has deleted the vector.
      if (this.#store.has) this.#embedder.recheck([id]);
    } else
      this.#embedder.put({
        id,
        text,
        timestamp,
        model: undefined,
        isChecked: before !== undefined,
        retryAt: 0,
        removals: 0,
        rejections: 0,
      });
  }

  remove(id: string): void {
    this.#words.remove(id);
    this.#textBytes -= 2 * (this.#entries.get(id)?.text.length ?? 0);
    this.#embedder.remove(id);
  }

  recheck(): void {
    this.#words.recheck?.();
    this.#embedder.recheck();
  }

  /** Embeds these entries again, because their vectors were deleted. */
  forget(ids: readonly string[] | 'everything'): void {
    this.#embedder.forget(ids);
  }

  dispose(): void {
    this.#onDispose(this);
  }

  async prepare(signal: AbortSignal | undefined): Promise<void> {
    await this.#embedder.embed('all', signal);
  }

  *warmUp(query: string, p: RankRequest): Steps<void> {
    if (this.#words.warmUp) yield* this.#words.warmUp(query, p);
  }

  async rank(query: string, p: RankRequest): Promise<Scored[]> {
    await this.#embedder.embed('some', p.signal);
    const embedded = await this.#embedQuery(query, p.signal);
    const missing = embedded === 'failed' ? this.#embedder.embeddable : this.#embedder.missing;
    if (missing > 0) p.onMissing?.(missing);
    const unit = embedded === 'failed' ? undefined : embedded;
    if (this.#kind === 'hybrid') return this.#rankHybrid(query, unit, p);
    const found = unit ? await this.#nearest(unit, p) : [];
    if (missing === 0) return found;
    const byWords = await this.#rankByWords(query, p, embedded === 'failed');
    return [...found, ...byWords].sort(this.#compare).slice(0, p.limit);
  }

  async #rankHybrid(query: string, unit: Float32Array | undefined, p: RankRequest): Promise<Scored[]> {
    const limit = Math.max(MIN_HYBRID_CANDIDATES, Math.min(MAX_QUERY_LIMIT, 4 * p.limit));
    const all = { ...p, limit, minScore: undefined, minRelevance: undefined };
    const lexical = await this.#words.rank(query, all);
    const nearest = unit ? await this.#nearest(unit, all) : [];
    const found = combineScores(lexical, nearest, { weight: this.#weight, explain: p.explain ?? false });
    found.sort(this.#compare);
    const minScore = p.minScore === undefined || !found[0] ? -Infinity : p.minScore * found[0].score;
    const { minRelevance = 0 } = p;
    return found.filter(({ score, relevance = 0 }) => score >= minScore && relevance >= minRelevance).slice(0, p.limit);
  }

  /** Ranks entries without a vector (or all) by words. A score is the fraction of the best score of any entry. */
  async #rankByWords(query: string, p: RankRequest, all: boolean): Promise<Scored[]> {
    const [best] = await this.#words.rank(query, { ...p, limit: 1, minScore: undefined, accepts: undefined });
    if (!best || best.score <= 0) return [];
    const { accepts } = p;
    const isWanted = (id: string): boolean => (all || this.#embedder.isPending(id)) && (!accepts || accepts(id));
    const found = await this.#words.rank(query, { ...p, minScore: undefined, accepts: isWanted });
    const scored = found.map(({ score, ...rest }) => ({ ...rest, score: Math.min(1, score / best.score) }));
    return scored.filter(({ score }) => score >= (p.minScore ?? -Infinity));
  }

  async #nearest(vector: Float32Array, p: RankRequest): Promise<Scored[]> {
    const { limit, minRelevance = 0, signal } = p;
    const minScore = minRelevance > 0 ? Math.max(minRelevance, p.minScore ?? 0) : p.minScore;
    const { model } = this.#client;
    const accepts = (id: string): boolean =>
      this.#entries.get(id)?.model === model && (p.accepts === undefined || p.accepts(id));
    // Stores in other processes ignore `accepts`: the limit is increased until enough results pass.
    for (
      let requested = Math.min(MAX_QUERY_LIMIT, limit + EXTRA_RESULTS);
      ;
      requested = Math.min(MAX_QUERY_LIMIT, 4 * requested)
    ) {
      const results = await this.#store.query(this.#scope, {
        model,
        vector,
        limit: requested,
        minScore,
        accepts,
        signal,
      });
      const found = results.filter(({ id }) => accepts(id));
      const isEnough = found.length > limit && found[limit - 1]!.score > results.at(-1)!.score;
      if (results.length === requested && !isEnough) continue;
      const scored = found.map((result) => ({
        ...result,
        relevance: Math.max(0, Math.min(1, result.score)),
        ...(p.explain && { explanation: { cosine: result.score } }),
      }));
      return scored.sort(this.#compare).slice(0, limit);
    }
  }

  async #embedQuery(query: string, signal: AbortSignal | undefined): Promise<Float32Array | undefined | 'failed'> {
    // While the embedder fails, searches do not wait for retries.
    const maxAttempts = this.#clock() < this.#failFastUntil ? 1 : undefined;
    try {
      const [unit] = await this.#client.embed([query], { task: 'query', signal, maxAttempts });
      return unit;
    } catch (error) {
      signal?.throwIfAborted();
      this.#failFastUntil = this.#clock() + FAIL_FAST_MS;
      const { code = 'unknown' } = error as { code?: unknown };
      this.#log.warn('The query could not be embedded; memory is searched by words only.', { code: String(code) });
      return 'failed';
    }
  }

  /** Best first; equal scores newer first, then by id. */
  readonly #compare = (a: Scored, b: Scored): number => {
    if (a.score !== b.score) return b.score - a.score;
    const [first, second] = [this.#entries.get(a.id), this.#entries.get(b.id)];
    return first && second && isNewer(first, second) ? -1 : 1;
  };
}
