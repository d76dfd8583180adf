import type { Runtime } from '@thole/core';
import type { Cluster } from 'ioredis';
import { connectionOf, isCluster } from './redis-client.ts';
import type { Resp2Client, RedisClient } from './redis-client.ts';

/** After so long the distance of the clocks is measured again. */
const GOOD_FOR_MS = 10_000;
/** So long the masters of a Cluster that do not answer are waited for. */
const PATIENCE_MS = 100;

/**
 * Says in the server's time when a call ends: scripts compare it with their own TIME and write nothing later. The distance
 * between the clocks is measured at the first call, every ten seconds, on each new connection and after each failure; what
 * the answer took is left out of it, so a deadline comes too early by that, never too late. Of several masters the
 * slowest clock counts.
 */
export class ServerClock {
  readonly #client: Resp2Client;
  readonly #runtime: Runtime;
  readonly #given: (() => number) | undefined;
  #ahead: number | undefined;
  #measuredAt = 0;
  #measuredOn: unknown;
  #measuring: Promise<void> | undefined;

  constructor(client: RedisClient, runtime: Runtime, given: (() => number) | undefined) {
    this.#client = client as Resp2Client;
    this.#runtime = runtime;
    this.#given = given;
  }

  /** Whether `deadline` can be asked. */
  get isKnown(): boolean {
    if (this.#given) return true;
    return this.#ahead !== undefined && this.#measuredOn === connectionOf(this.#client);
  }

  /** The time at which a call ends that may take this long from `since` (monotonic) on, as scripts take it. */
  deadline(since: number, ms: number): string {
    if (this.#given) {
      const now = Math.round(this.#given());
      return `${now + ms} ${now}`;
    }
    if (since - this.#measuredAt > GOOD_FOR_MS) this.measure().catch(() => {});
    return String(Math.floor(since + ms + (this.#ahead ?? 0)));
  }

  /** Another server may answer next. */
  forget(): void {
    this.#ahead = undefined;
  }

  /** Asks the server for its time; those who ask meanwhile share the answer. */
  measure(): Promise<void> {
    return (this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined)));
  }

  async #measure(): Promise<void> {
    const distances: number[] = [];
    const asked: readonly Resp2Client[] = isCluster(this.#client) ? await mastersOf(this.#client) : [this.#client];
    const answers = asked.map(async (node) => {
      const [seconds, micros] = (await node.time()) as unknown as [string | number, string | number];
      distances.push(Number(seconds) * 1000 + Number(micros) / 1000 - this.#runtime.monotonic());
    });
    await Promise.any(answers).catch(({ errors }: AggregateError) => Promise.reject(errors[0] as Error));
    if (answers.length > 1) await this.#patiently(Promise.allSettled(answers));
    this.#ahead = Math.min(...distances);
    this.#measuredAt = this.#runtime.monotonic();
    this.#measuredOn = connectionOf(this.#client);
  }

  // A master that does not answer must not keep the calls to the others waiting.
  #patiently(answers: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#runtime.timer(PATIENCE_MS, resolve);
      void answers.then(() => {
        cancel();
        resolve();
      });
    });
  }
}

async function mastersOf(cluster: Cluster): Promise<readonly Resp2Client[]> {
  // One that has not connected yet knows no nodes; asked itself, it connects.
  if (cluster.nodes('master').length === 0) await cluster.time();
  return cluster.nodes('master');
}
