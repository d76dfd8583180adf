import type { Runtime } from '@thole/core';
import type { Cluster } from 'ioredis';
import { connectionOf, isCluster } from './redis-client.ts';
import type { RedisClient, Resp2Client } from './redis-client.ts';

/** Age in milliseconds from which a measurement is repeated. */
const MAX_AGE_MS = 10_000;
/** Milliseconds to wait for the masters of a Cluster that answer later than the first one. */
const SLOW_MASTER_MS = 100;

/**
 * Computes deadlines of calls in the server's time. Scripts compare the deadline with their own TIME and write nothing after it. The
 * offset between the clocks is measured at the first call, every ten seconds, on each new connection and after each failure. The time
 * until the reply is not subtracted, so a deadline may be too early, but never too late. With several masters, the slowest clock is used.
 */
export class ServerClock {
  readonly #client: Resp2Client;
  readonly #runtime: Runtime;
  /** The clock of the caller, for tests. */
  readonly #clock: (() => number) | undefined;
  #offsetMs: number | undefined;
  #measuredAt = 0;
  #measuredOn: unknown;
  #measuring: Promise<void> | undefined;

  constructor(client: RedisClient, runtime: Runtime, clock: (() => number) | undefined) {
    this.#client = client as Resp2Client;
    this.#runtime = runtime;
    this.#clock = clock;
  }

  /** True if `deadline` can be called. */
  get isKnown(): boolean {
    if (this.#clock) return true;
    return this.#offsetMs !== undefined && this.#measuredOn === connectionOf(this.#client);
  }

  /** Returns the deadline of a call that started at `startedAt` (monotonic) and may take `ms`, in the form that scripts read. */
  deadline(startedAt: number, ms: number): string {
    if (this.#clock) {
      const now = Math.round(this.#clock());
      return `${now + ms} ${now}`;
    }
    if (startedAt - this.#measuredAt > MAX_AGE_MS) this.measure().catch(() => {});
    return String(Math.floor(startedAt + ms + (this.#offsetMs ?? 0)));
  }

  /** Discards the measurement: another server may answer the next call. */
  invalidate(): void {
    this.#offsetMs = undefined;
  }

  /** Measures the offset of the server's clock. Concurrent callers share one measurement. */
  measure(): Promise<void> {
    return (this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined)));
  }

  async #measure(): Promise<void> {
    const offsets: number[] = [];
    const nodes: readonly Resp2Client[] = isCluster(this.#client) ? await mastersOf(this.#client) : [this.#client];
    const replies = nodes.map(async (node) => {
      const [seconds, micros] = (await node.time()) as unknown as [string | number, string | number];
      offsets.push(Number(seconds) * 1000 + Number(micros) / 1000 - this.#runtime.monotonic());
    });
    await Promise.any(replies).catch(({ errors }: AggregateError) => Promise.reject(errors[0] as Error));
    if (replies.length > 1) await this.#waitBriefly(Promise.allSettled(replies));
    this.#offsetMs = Math.min(...offsets);
    this.#measuredAt = this.#runtime.monotonic();
    this.#measuredOn = connectionOf(this.#client);
  }

  // A master that does not answer must not delay calls to the other masters.
  #waitBriefly(replies: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#runtime.timer(SLOW_MASTER_MS, resolve);
      void replies.then(() => {
        cancel();
        resolve();
      });
    });
  }
}

async function mastersOf(cluster: Cluster): Promise<readonly Resp2Client[]> {
  // A client that has not connected yet knows no nodes. A command makes it connect.
  if (cluster.nodes('master').length === 0) await cluster.time();
  return cluster.nodes('master');
}
