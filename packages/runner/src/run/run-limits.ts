import { TholeError } from '@thole/core';
import type { Lease, RunConfig, Runtime } from '@thole/core';
import { LEASE_TTL_MS } from './lease.ts';
import type { Reader } from './reader.ts';

/** What ends a run by the clock, and what keeps its lease: plain deadlines, looked at by the runner's one sweep. */
export class RunLimits {
  readonly #p: RunLimitsOptions;
  readonly #timeIsUpAt: number;
  #lease: Lease | undefined;
  #renewAt: number = Infinity;

  constructor(options: RunLimitsOptions) {
    this.#p = options;
    this.#timeIsUpAt = options.runtime.monotonic() + (options.config.timeLimitMs ?? Infinity);
  }

  /** Keeps this lease from now on. */
  renew(lease: Lease): void {
    this.#lease = lease;
    this.#renewAt = this.#p.runtime.monotonic() + LEASE_TTL_MS / 3;
  }

  /** Does what is due and answers when to look again. */
  check(now: number): number {
    const { invocationId, config, reader } = this.#p;
    const stop = (error: unknown): void => this.#p.stop(error);
    if (now >= this.#timeIsUpAt) {
      stop(new TholeError('RUN_TIME_LIMIT', `Invocation ${invocationId} took longer than ${config.timeLimitMs} ms.`));
      return Infinity;
    }
    const idleLimit = this.#p.isAttached() ? (config.idleLimitMs ?? 300_000) : Infinity;
    const abandonedAt = Math.min(reader.idleSince, now) + idleLimit;
    if (reader.idleSince <= now && now >= abandonedAt) {
      stop(new TholeError('RUN_ABANDONED', `Nobody read invocation ${invocationId} for ${idleLimit} ms.`));
      return Infinity;
    }
    if (now >= this.#renewAt) {
      this.#renewAt = now + LEASE_TTL_MS / 3;
      this.#lease?.renew().catch(stop);
    }
    return Math.min(this.#timeIsUpAt, abandonedAt, this.#renewAt);
  }
}

interface RunLimitsOptions {
  readonly invocationId: string;
  readonly runtime: Runtime;
  readonly config: RunConfig;
  readonly reader: Reader;
  isAttached(): boolean;
  stop(error: unknown): void;
}
