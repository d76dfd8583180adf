import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import { hasText, storeVectors } from './store-vectors.ts';
import type { EmbeddingDeps } from './store-vectors.ts';

/** An entry, and which model's vector of it the store has. */
export interface VectorEntry {
  readonly id: string;
  readonly text: string;
  timestamp: number;
  /** Undefined until the vector is made, or known to be there. */
  model: string | undefined;
  /** Whether the store need not be asked any more: what it has is of another text, or it has nothing. */
  isChecked: boolean;
  /** By the monotonic clock: when searches try again what has failed. */
  retryAt: number;
  /** How often its vector was taken out of the store. */
  removals: number;
}

/** How long searches leave alone what the embedder failed at; ingestions do not. */
const RETRY_AFTER_MS = 10_000;
/** Batches that a search embeds before it answers; the rest is for the searches after it. */
const BATCHES_IN_SEARCH = 16;
/** Failed calls after which the rest is left for later. */
const MAX_FAILED_CALLS = 8;
/** Ids that a store is asked about at once. */
const IDS_PER_LOOKUP = 500;

/** Makes the vectors of one user's entries and keeps them in a store. Never loses an entry: what fails is made later. */
export class EntryEmbedder {
  readonly #places: EmbeddingDeps;
  readonly #runtime: Runtime;
  readonly #entries: Map<string, VectorEntry>;
  // Those that may have no vector of the present model: all, when the model has changed.
  readonly #pending = new Map<string, VectorEntry>();
  readonly #gone = new Set<string>();
  #model: string | undefined;
  #making: Promise<void> = Promise.resolve();
  #embeddable = 0;

  constructor(places: EmbeddingDeps, entries: Map<string, VectorEntry>, runtime: Runtime) {
    this.#places = places;
    this.#entries = entries;
    this.#runtime = runtime;
  }

  /** How many entries have a text to embed. */
  get embeddable(): number {
    return this.#embeddable;
  }

  /** How many of them have no vector of the present model. */
  get missing(): number {
    return this.#pending.size;
  }

  lacks(id: string): boolean {
    return this.#pending.has(id);
  }

  put(entry: VectorEntry): void {
    this.#drop(entry.id);
    this.#entries.set(entry.id, entry);
    if (!hasText(entry)) return;
    this.#embeddable++;
    this.#pending.set(entry.id, entry);
  }

  remove(id: string): void {
    if (this.#entries.get(id)?.model !== undefined) this.#gone.add(id);
    this.#drop(id);
    this.#entries.delete(id);
  }

  forget(ids: readonly string[] | 'everything'): void {
    for (const id of ids === 'everything' ? this.#entries.keys() : ids) {
      const entry = this.#entries.get(id);
      if (!entry || !hasText(entry)) continue;
      entry.model = undefined;
      entry.removals++;
      this.#pending.set(id, entry);
    }
  }

  /** After an ingestion `all`, in a search `some`. Throws only the signal's reason; calls at once wait for each other. */
  embed(how: 'all' | 'some', signal: AbortSignal | undefined): Promise<void> {
    const work = (): Promise<void> => this.#make(how, signal);
    this.#making = this.#making.then(work, work);
    return this.#making;
  }

  async #make(how: 'all' | 'some', signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#noticeModel();
    try {
      await this.#removeGone();
      await this.#askStore(signal);
      await this.#embedPending(how, signal);
    } catch (error) {
      signal?.throwIfAborted();
      this.#tell(error);
    }
  }

  #noticeModel(): void {
    const { model } = this.#places.client;
    if (this.#model === model) return;
    this.#model = model;
    for (const [id, entry] of this.#entries) {
      if (entry.model === model || !hasText(entry)) continue;
      // Another process may have made it.
      if (entry.model !== undefined) entry.isChecked = false;
      entry.retryAt = 0;
      this.#pending.set(id, entry);
    }
  }

  async #removeGone(): Promise<void> {
    const ids = [...this.#gone].filter((id) => !this.#entries.has(id));
    if (ids.length > 0) await this.#places.store.delete(this.#places.scope, ids);
    for (const id of ids) this.#gone.delete(id);
  }

  // A store that outlives the process may have them.
  async #askStore(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#places.store.has) return;
    const { model } = this.#places.client;
    const unasked = [...this.#pending.values()].filter((entry) => !entry.isChecked);
    for (let from = 0; from < unasked.length; from += IDS_PER_LOOKUP) {
      const page = unasked.slice(from, from + IDS_PER_LOOKUP);
      const ids = page.map(({ id }) => id);
      const known = new Set(await this.#places.store.has(this.#places.scope, { model, ids, signal }));
      for (const entry of page) {
        entry.isChecked = true;
        if (known.has(entry.id)) this.#settle(entry, model);
      }
    }
  }

  async #embedPending(how: 'all' | 'some', signal: AbortSignal | undefined): Promise<void> {
    const now = this.#runtime.monotonic();
    const due = [...this.#pending.values()].filter((entry) => how === 'all' || entry.retryAt <= now);
    const { maxBatch, maxConcurrentBatches } = this.#places.client;
    const batches: VectorEntry[][] = [];
    for (let from = 0; from < due.length; from += maxBatch) batches.push(due.slice(from, from + maxBatch));
    const queue = how === 'all' ? batches : batches.slice(0, BATCHES_IN_SEARCH);
    const job: Job = { queue, signal, failures: 0, error: undefined, attempts: how === 'all' ? undefined : 1 };
    const workers = Array.from({ length: Math.min(maxConcurrentBatches, queue.length) }, () => this.#work(job));
    // All of them, so that nothing goes on behind the back of what follows.
    const ended = await Promise.allSettled(workers);
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    if (job.error !== undefined) this.#tell(job.error);
  }

  async #work(job: Job): Promise<void> {
    for (let batch = job.queue.shift(); batch; batch = job.queue.shift()) {
      job.signal?.throwIfAborted();
      if (job.failures >= MAX_FAILED_CALLS) {
        this.#leaveAlone(batch);
        continue;
      }
      try {
        await this.#embedBatch(batch, job);
      } catch (error) {
        job.signal?.throwIfAborted();
        job.failures++;
        // One bad text must not keep the others of its batch from theirs.
        if (batch.length > 1 && !isOutage(error)) {
          const middle = batch.length >> 1;
          job.queue.unshift(batch.slice(0, middle), batch.slice(middle));
          continue;
        }
        if (isOutage(error)) job.failures = MAX_FAILED_CALLS;
        job.error ??= error;
        this.#leaveAlone(batch);
      }
    }
  }

  #leaveAlone(batch: readonly VectorEntry[]): void {
    const retryAt = this.#runtime.monotonic() + RETRY_AFTER_MS;
    for (const entry of batch) entry.retryAt = retryAt;
  }

  async #embedBatch(batch: readonly VectorEntry[], job: Job): Promise<void> {
    const { model } = this.#places.client;
    const wanted = new Map(batch.map((entry) => [entry.id, { entry, removals: entry.removals }]));
    // Not where it was forgotten or changed meanwhile.
    const isWanted = (id: string): boolean => {
      const { entry, removals } = wanted.get(id)!;
      return this.#entries.get(id) === entry && entry.removals === removals;
    };
    const texts = new Map(batch.map(({ id, text }) => [id, text]));
    const { signal, attempts: maxAttempts } = job;
    await storeVectors(this.#places, texts, { model, isWanted, maxAttempts, signal });
    for (const entry of batch) if (isWanted(entry.id)) this.#settle(entry, model);
  }

  #settle(entry: VectorEntry, model: string): void {
    entry.model = model;
    if (this.#pending.get(entry.id) === entry) this.#pending.delete(entry.id);
  }

  #drop(id: string): void {
    const before = this.#entries.get(id);
    if (before && hasText(before)) this.#embeddable--;
    this.#pending.delete(id);
  }

  #tell(error: unknown): void {
    const { code = 'unknown' } = error as { code?: unknown };
    const fields = { code: String(code), entries: this.#pending.size };
    this.#runtime.logger.warn('Entries have no vector yet; words find them until it is made.', fields);
  }
}

interface Job {
  readonly queue: VectorEntry[][];
  readonly signal: AbortSignal | undefined;
  readonly attempts: number | undefined;
  failures: number;
  /** The first that some entry was left without a vector for. */
  error: unknown;
}

// Not the texts' fault: the halves would fare no better.
function isOutage(error: unknown): boolean {
  return TholeError.is(error) && error.retryable && error.code !== 'EMBEDDER_FAILED';
}
