import { textOf } from '@thole/core';
import type { Logger, MemoryEntry, MemoryScope, VectorStore } from '@thole/core';
import { isNewer } from '../service/is-newer.ts';
import type { MemoryIndex, RankRequest } from '../service/memory-index.ts';
import type { Scored } from '../service/scored.ts';
import type { EmbeddingClient } from './embedding-client.ts';
import { hybridScores } from './hybrid-scores.ts';
import { EntryEmbedder } from './entry-embedder.ts';
import type { VectorEntry } from './entry-embedder.ts';
import type { VectorRankingOptions } from './vector-memory-ranking.ts';

/** Of how many entries, at least, words and vectors are put together. */
const MIN_HYBRID_CANDIDATES = 200;
/** Asked for beyond what is wanted: equals at the end stand newer first here, and by id in a store. */
const EXTRA_RESULTS = 16;
/** No store has more, and none is asked for a number that it cannot read. */
const MAX_QUERY_LIMIT = 2 ** 31 - 1;
/** How long after a failure a query's call is not made again when it fails. */
const FAIL_FAST_MS = 10_000;

/** One user's entries, ranked by the cosine of vectors in a store, or by that and words together. */
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
  readonly #maker: EntryEmbedder;
  readonly #onLetGo: (index: VectorMemoryIndex) => void;
  #textBytes = 0;
  #isDownUntil = -Infinity;

  constructor(
    p: VectorRankingOptions & { scope: MemoryScope; words: MemoryIndex; onLetGo: (index: VectorMemoryIndex) => void },
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
    this.#maker = new EntryEmbedder({ client, store, log, scope }, this.#entries, runtime);
    this.#onLetGo = p.onLetGo;
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
    // A change of anything but the text keeps the vector.
    if (before?.text === text) before.timestamp = timestamp;
    else
      this.#maker.put({
        id,
        text,
        timestamp,
        model: undefined,
        isChecked: before !== undefined,
        retryAt: 0,
        removals: 0,
      });
  }

  remove(id: string): void {
    this.#words.remove(id);
    this.#textBytes -= 2 * (this.#entries.get(id)?.text.length ?? 0);
    this.#maker.remove(id);
  }

  forget(ids: readonly string[] | 'everything'): void {
    this.#maker.forget(ids);
  }

  dispose(): void {
    this.#onLetGo(this);
  }

  async prepare(signal: AbortSignal | undefined): Promise<void> {
    await this.#maker.embed('all', signal);
  }

  async rank(query: string, p: RankRequest): Promise<Scored[]> {
    await this.#maker.embed('some', p.signal);
    const wanted = await this.#embedQuery(query, p.signal);
    const lacking = wanted === 'failed' ? this.#maker.embeddable : this.#maker.missing;
    if (lacking > 0) p.onMissing?.(lacking);
    const unit = wanted === 'failed' ? undefined : wanted;
    if (this.#kind === 'hybrid') return this.#rankHybrid(query, unit, p);
    const found = unit ? await this.#nearest(unit, p) : [];
    if (lacking === 0) return found;
    const byWords = await this.#byWordsAlone(query, p, wanted === 'failed');
    return [...found, ...byWords].sort(this.#inOrder).slice(0, p.limit);
  }

  async #rankHybrid(query: string, unit: Float32Array | undefined, p: RankRequest): Promise<Scored[]> {
    const limit = Math.max(MIN_HYBRID_CANDIDATES, Math.min(MAX_QUERY_LIMIT, 4 * p.limit));
    const all = { ...p, limit, minScore: undefined, minRelevance: undefined };
    const lexical = await this.#words.rank(query, all);
    const near = unit ? await this.#nearest(unit, all) : [];
    const found = hybridScores(lexical, near, { weight: this.#weight, explain: p.explain ?? false });
    found.sort(this.#inOrder);
    const least = p.minScore === undefined || !found[0] ? -Infinity : p.minScore * found[0].score;
    const { minRelevance = 0 } = p;
    return found.filter(({ score, relevance = 0 }) => score >= least && relevance >= minRelevance).slice(0, p.limit);
  }

  /** Those without a vector (or all), scored by the fraction of the best score that words give any entry. */
  async #byWordsAlone(query: string, p: RankRequest, all: boolean): Promise<Scored[]> {
    const [best] = await this.#words.rank(query, { ...p, limit: 1, minScore: undefined, accepts: undefined });
    if (!best || best.score <= 0) return [];
    const { accepts } = p;
    const lacks = (id: string): boolean => (all || this.#maker.lacks(id)) && (!accepts || accepts(id));
    const found = await this.#words.rank(query, { ...p, minScore: undefined, accepts: lacks });
    const scored = found.map(({ score, ...rest }) => ({ ...rest, score: Math.min(1, score / best.score) }));
    return scored.filter(({ score }) => score >= (p.minScore ?? -Infinity));
  }

  async #nearest(vector: Float32Array, p: RankRequest): Promise<Scored[]> {
    const { limit, minRelevance = 0, signal } = p;
    const minScore = minRelevance > 0 ? Math.max(minRelevance, p.minScore ?? 0) : p.minScore;
    const { model } = this.#client;
    const accepts = (id: string): boolean =>
      this.#entries.get(id)?.model === model && (p.accepts === undefined || p.accepts(id));
    // Stores elsewhere know nothing of the filter: they are asked for more until enough pass.
    for (let ask = Math.min(MAX_QUERY_LIMIT, limit + EXTRA_RESULTS); ; ask = Math.min(MAX_QUERY_LIMIT, 4 * ask)) {
      const answers = await this.#store.query(this.#scope, { model, vector, limit: ask, minScore, accepts, signal });
      const found = answers.filter(({ id }) => accepts(id));
      const isEnough = found.length > limit && found[limit - 1]!.score > answers.at(-1)!.score;
      if (answers.length === ask && !isEnough) continue;
      const scored = found.map((one) => ({
        ...one,
        relevance: Math.max(0, Math.min(1, one.score)),
        ...(p.explain && { explanation: { cosine: one.score } }),
      }));
      return scored.sort(this.#inOrder).slice(0, limit);
    }
  }

  async #embedQuery(query: string, signal: AbortSignal | undefined): Promise<Float32Array | undefined | 'failed'> {
    // While the embedder is down, searches do not wait to see it fail again and again.
    const maxAttempts = this.#clock() < this.#isDownUntil ? 1 : undefined;
    try {
      const [unit] = await this.#client.embed([query], { task: 'query', signal, maxAttempts });
      return unit;
    } catch (error) {
      signal?.throwIfAborted();
      this.#isDownUntil = this.#clock() + FAIL_FAST_MS;
      const { code = 'unknown' } = error as { code?: unknown };
      this.#log.warn('A query was not embedded: words alone are searched.', { code: String(code) });
      return 'failed';
    }
  }

  readonly #inOrder = (a: Scored, b: Scored): number => {
    if (a.score !== b.score) return b.score - a.score;
    const [one, other] = [this.#entries.get(a.id), this.#entries.get(b.id)];
    return one && other && isNewer(one, other) ? -1 : 1;
  };
}
