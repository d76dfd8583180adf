import { TholeError } from '@thole/core';
import type { Lease, RunConfig } from '@thole/core';
import { LEASE_TTL_MS } from './lease.ts';
import type { Reader } from './reader.ts';
import type { RunHost } from './run-host.ts';

/** The run that the limits are for. */
export interface Limited {
  readonly invocationId: string;
  readonly host: RunHost;
  readonly runConfig: RunConfig;
  readonly reader: Reader;
  /** Whether it waits for its reader. */
  readonly attached: boolean;
  stop(reason: unknown): void;
}

/** What ends a run by the clock, and what keeps its lease: plain deadlines, looked at by the runner's one sweep. */
export class RunLimits {
  readonly #run: Limited;
  readonly #timeIsUpAt: number;
  #lease: Lease | undefined;
  #renewAt: number = Infinity;

  constructor(run: Limited) {
    this.#run = run;
    this.#timeIsUpAt = run.host.runtime.monotonic() + (run.runConfig.timeLimitMs ?? Infinity);
  }

  /** Keeps this lease from now on. */
  renew(lease: Lease): void {
    this.#lease = lease;
    this.#renewAt = this.#run.host.runtime.monotonic() + LEASE_TTL_MS / 3;
  }

  /** Does what is due and answers when to look again. */
  check(now: number): number {
    const { invocationId, runConfig, reader, attached } = this.#run;
    if (now >= this.#timeIsUpAt) {
      const limit = `${runConfig.timeLimitMs} ms`;
      this.#run.stop(new TholeError('RUN_TIME_LIMIT', `Invocation ${invocationId} took longer than ${limit}.`));
      return Infinity;
    }
    const idleLimit = attached ? (runConfig.idleLimitMs ?? 300_000) : Infinity;
    const abandonedAt = Math.min(reader.idleSince, now) + idleLimit;
    if (reader.idleSince <= now && now >= abandonedAt) {
      this.#run.stop(new TholeError('RUN_ABANDONED', `Nobody read invocation ${invocationId} for ${idleLimit} ms.`));
      return Infinity;
    }
    if (now >= this.#renewAt) {
      this.#renewAt = now + LEASE_TTL_MS / 3;
      this.#lease?.renew().catch((error: unknown) => this.#run.stop(error));
    }
    return Math.min(this.#timeIsUpAt, abandonedAt, this.#renewAt);
  }
}
