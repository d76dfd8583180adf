import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import { hasText, storeVectors } from './store-vectors.ts';
import type { EmbeddingDeps } from './store-vectors.ts';

/** An entry, and the model of its stored vector. */
export interface VectorEntry {
  readonly id: string;
  readonly text: string;
  timestamp: number;
  /** Undefined until the vector has been stored or found in the store. */
  model: string | undefined;
  /** True if the store need not be checked for a vector of this text: it was checked, or the text is new. */
  isChecked: boolean;
  /** Monotonic time in milliseconds before which searches do not retry a failed entry. */
  retryAt: number;
  /** Number of times that the vector was deleted from the store. */
  removals: number;
  /** Number of failed calls with only this text: the embedder may reject it. */
  rejections: number;
}

/** Time in milliseconds in which searches do not retry failed entries; ingestions retry them. Doubles with each rejection. */
const RETRY_AFTER_MS = 10_000;
const MAX_RETRY_AFTER_MS = 600_000;
/** Number of rejections after which ingestions do not retry an entry earlier than searches. */
const MANY_REJECTIONS = 3;
/** Maximum number of batches that a search embeds before it returns; later searches embed the others. */
const BATCHES_IN_SEARCH = 16;
/** Number of consecutive failed calls after which the other entries wait for the next search or ingestion. */
const MAX_FAILED_CALLS = 8;
/** Number of parts of a failed batch. With two parts, a rejected text in a batch of 2,048 would need 12 failed calls in a row. */
const PARTS_OF_FAILED_BATCH = 8;
/** Number of ids that are looked up in the store at a time. */
const IDS_PER_LOOKUP = 500;

/** Embeds one user's entries and stores their vectors. Entries whose call fails are embedded later. */
export class EntryEmbedder {
  readonly #deps: EmbeddingDeps;
  readonly #runtime: Runtime;
  readonly #entries: Map<string, VectorEntry>;
  /** Entries that may have no vector of the current model: all entries after a change of the model. */
  readonly #pending = new Map<string, VectorEntry>();
  /** Removed entries whose vectors must be deleted. */
  readonly #removed = new Set<string>();
  #model: string | undefined;
  #lastRun: Promise<void> = Promise.resolve();
  /** The lookup of stored vectors by the last run that has started. */
  #lookup: Promise<void> = Promise.resolve();
  /** Number of ingestions whose entries are being embedded. */
  #ingestions = 0;
  #embeddable = 0;

  constructor(deps: EmbeddingDeps, entries: Map<string, VectorEntry>, runtime: Runtime) {
    this.#deps = deps;
    this.#entries = entries;
    this.#runtime = runtime;
  }

  /** Number of entries with a text to embed. */
  get embeddable(): number {
    return this.#embeddable;
  }

  /** Number of embeddable entries without a vector of the current model. */
  get missing(): number {
    return this.#pending.size;
  }

  /** True if the entry may have no vector of the current model. */
  isPending(id: string): boolean {
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
    const entry = this.#entries.get(id);
    if (entry && (entry.model !== undefined || !entry.isChecked)) this.#removed.add(id);
    this.#drop(id);
    this.#entries.delete(id);
  }

  /** Marks entries whose vectors were deleted from the store, so that they are embedded again. */
  forget(ids: readonly string[] | 'everything'): void {
    for (const id of ids === 'everything' ? this.#entries.keys() : ids) {
      const entry = this.#entries.get(id);
      if (!entry || !hasText(entry)) continue;
      entry.model = undefined;
      entry.removals++;
      this.#pending.set(id, entry);
    }
  }

  /** Checks whether the vectors of these entries are still stored. Default: of all entries. */
  recheck(ids: Iterable<string> = this.#entries.keys()): void {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry?.model === undefined || !hasText(entry)) continue;
      entry.model = undefined;
      entry.isChecked = false;
      this.#pending.set(id, entry);
    }
  }

  /**
   * Embeds pending entries: `all` after an ingestion, `some` before a search. Calls run one after the other. A search does not wait for
   * an ingestion with more entries than a search embeds. Rejects only with the signal's reason; other errors are logged.
   */
  async embed(amount: 'all' | 'some', signal: AbortSignal | undefined): Promise<void> {
    if (amount === 'some') {
      if (!(await this.#isIngestingMany())) await this.#enqueue(amount, signal);
      return;
    }
    this.#ingestions++;
    try {
      await this.#enqueue(amount, signal);
    } finally {
      this.#ingestions--;
    }
  }

  #enqueue(amount: 'all' | 'some', signal: AbortSignal | undefined): Promise<void> {
    const run = (): Promise<void> => this.#run(amount, signal);
    this.#lastRun = this.#lastRun.then(run, run);
    return this.#lastRun;
  }

  /** True if ingestions have more entries to embed than a search embeds. Waits until stored vectors have been found. */
  async #isIngestingMany(): Promise<boolean> {
    if (this.#ingestions === 0) return false;
    this.#updateModel();
    await this.#lookup.catch(() => {});
    return this.#ingestions > 0 && this.#pending.size > BATCHES_IN_SEARCH * this.#deps.client.maxBatch;
  }

  async #run(amount: 'all' | 'some', signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#updateModel();
    try {
      await (this.#lookup = this.#deleteRemoved().then(() => this.#findStored(signal)));
      await this.#embedPending(amount, signal);
    } catch (error) {
      signal?.throwIfAborted();
      this.#logFailure(error);
    }
  }

  /** Makes all entries pending if the embedder's model has changed. */
  #updateModel(): void {
    const { model } = this.#deps.client;
    if (this.#model === model) return;
    this.#model = model;
    for (const [id, entry] of this.#entries) {
      if (entry.model === model || !hasText(entry)) continue;
      // Another process may have stored a vector of the new model.
      if (entry.model !== undefined) entry.isChecked = false;
      entry.retryAt = 0;
      entry.rejections = 0;
      this.#pending.set(id, entry);
    }
  }

  async #deleteRemoved(): Promise<void> {
    const ids = [...this.#removed].filter((id) => !this.#entries.has(id));
    if (ids.length > 0) await this.#deps.store.delete(this.#deps.scope, ids);
    for (const id of ids) this.#removed.delete(id);
  }

  /** Finds vectors that an earlier process has stored. */
  async #findStored(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#deps.store.has) return;
    const { model } = this.#deps.client;
    const unchecked = [...this.#pending.values()].filter((entry) => !entry.isChecked);
    for (let from = 0; from < unchecked.length; from += IDS_PER_LOOKUP) {
      const page = unchecked.slice(from, from + IDS_PER_LOOKUP);
      const ids = page.map(({ id }) => id);
      const stored = new Set(await this.#deps.store.has(this.#deps.scope, { model, ids, signal }));
      for (const entry of page) {
        entry.isChecked = true;
        if (stored.has(entry.id)) this.#settle(entry, model);
      }
    }
  }

  async #embedPending(amount: 'all' | 'some', signal: AbortSignal | undefined): Promise<void> {
    const now = this.#runtime.monotonic();
    const due = [...this.#pending.values()].filter(
      ({ retryAt, rejections }) => retryAt <= now || (amount === 'all' && rejections < MANY_REJECTIONS),
    );
    const { maxBatch, maxConcurrentBatches } = this.#deps.client;
    // Rejected texts come last, so that they do not delay others, and those with the fewest failed calls first.
    const rejected = due.filter(({ rejections }) => rejections > 0).sort((a, b) => a.rejections - b.rejections);
    const fresh = due.filter(({ rejections }) => rejections === 0);
    const batches = [...chunksOf(fresh, maxBatch), ...chunksOf(rejected, maxBatch)];
    const queue = amount === 'all' ? batches : batches.slice(0, BATCHES_IN_SEARCH);
    const job: Job = { queue, signal, failures: 0, error: undefined, attempts: amount === 'all' ? undefined : 1 };
    const workers = Array.from({ length: Math.min(maxConcurrentBatches, queue.length) }, () => this.#work(job));
    // Waits for all workers, so that none is running when the next call starts.
    const results = await Promise.allSettled(workers);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    if (job.error !== undefined) this.#logFailure(job.error);
  }

  async #work(job: Job): Promise<void> {
    for (let batch = job.queue.shift(); batch; batch = job.queue.shift()) {
      job.signal?.throwIfAborted();
      if (job.failures >= MAX_FAILED_CALLS) {
        this.#postpone(batch);
        continue;
      }
      try {
        await this.#embedBatch(batch, job);
        // An outage stops all workers.
        if (job.failures < MAX_FAILED_CALLS) job.failures = 0;
      } catch (error) {
        job.signal?.throwIfAborted();
        const hasOutage = isOutage(error);
        job.failures = hasOutage ? MAX_FAILED_CALLS : job.failures + 1;
        // One bad text must not prevent the other texts of its batch from being embedded.
        if (batch.length > 1 && !hasOutage) {
          job.queue.unshift(...chunksOf(batch, Math.ceil(batch.length / PARTS_OF_FAILED_BATCH)));
          continue;
        }
        job.error ??= error;
        this.#postpone(batch);
        if (!hasOutage) batch[0]!.rejections++;
      }
    }
  }

  #postpone(batch: readonly VectorEntry[]): void {
    const now = this.#runtime.monotonic();
    for (const entry of batch)
      entry.retryAt = now + Math.min(MAX_RETRY_AFTER_MS, RETRY_AFTER_MS * 2 ** entry.rejections);
  }

  async #embedBatch(batch: readonly VectorEntry[], job: Job): Promise<void> {
    const { model } = this.#deps.client;
    const initial = new Map(batch.map((entry) => [entry.id, { entry, removals: entry.removals }]));
    // False if the entry was removed or changed meanwhile.
    const isWanted = (id: string): boolean => {
      const { entry, removals } = initial.get(id)!;
      return this.#entries.get(id) === entry && entry.removals === removals;
    };
    const texts = new Map(batch.map(({ id, text }) => [id, text]));
    const { signal, attempts: maxAttempts } = job;
    await storeVectors(this.#deps, texts, { model, isWanted, maxAttempts, signal });
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

  #logFailure(error: unknown): void {
    const { code = 'unknown' } = error as { code?: unknown };
    const fields = { code: String(code), entries: this.#pending.size };
    this.#runtime.logger.warn(
      'Some entries could not be embedded. Until they are embedded, only searches by words find them.',
      fields,
    );
  }
}

/** The state of one call of `embed`. */
interface Job {
  readonly queue: VectorEntry[][];
  readonly signal: AbortSignal | undefined;
  readonly attempts: number | undefined;
  /** Number of failed calls since the last successful one. */
  failures: number;
  /** The first error that left an entry without a vector. */
  error: unknown;
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let from = 0; from < items.length; from += size) chunks.push(items.slice(from, from + size));
  return chunks;
}

/** True if the embedder is unavailable, so that smaller batches would fail too. */
function isOutage(error: unknown): boolean {
  if (!TholeError.is(error) || error.code === 'EMBEDDER_FAILED') return false;
  // Not retryable without a person: the key is wrong, or the quota of the account is used up.
  return error.retryable || error.code === 'MODEL_AUTH' || error.code === 'MODEL_RATE_LIMITED';
}
