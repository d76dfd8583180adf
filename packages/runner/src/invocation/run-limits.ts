import { TholeError } from '@thole/core';
import type { Lease, RunConfig } from '@thole/core';
import { LEASE_TTL_MS } from '../session/lease.ts';
import type { OutputQueue } from './output-queue.ts';
import type { RunHost } from '../runner/runner-deps.ts';

/** The run that the limits are for. */
export interface Limited {
  readonly invocationId: string;
  readonly host: RunHost;
  readonly runConfig: RunConfig;
  readonly reader: OutputQueue;
  /** Whether it waits for its reader. */
  readonly attached: boolean;
  stop(reason: unknown): void;
}

/** What ends a run that nobody reads, and what keeps its lease: plain deadlines, looked at by the runner's one sweep. */
export class RunLimits {
  readonly #run: Limited;
  #lease: Lease | undefined;
  #renewAt: number = Infinity;
  /** Until when the lease holds, as far as is known. */
  #heldUntil: number = Infinity;
  #isRenewing = false;
  /** Whether a renewal was asked for since the last that succeeded. */
  #hasAsked = false;

  constructor(run: Limited) {
    this.#run = run;
  }

  /** Keeps this lease from now on. */
  renew(lease: Lease): void {
    this.#lease = lease;
    this.#holdFrom(this.#run.host.runtime.monotonic());
  }

  /** Does what is due and answers when to look again. */
  check(now: number): number {
    const { invocationId, runConfig, reader, attached } = this.#run;
    const idleLimit = attached ? (runConfig.idleLimitMs ?? 300_000) : Infinity;
    const abandonedAt = Math.min(reader.idleSince, now) + idleLimit;
    if (reader.idleSince <= now && now >= abandonedAt) {
      this.#run.stop(new TholeError('RUN_ABANDONED', `Nobody read invocation ${invocationId} for ${idleLimit} ms.`));
      return Infinity;
    }
    if (now >= this.#renewAt) {
      // A process that was suspended asks before it gives up: the lease may not have been taken.
      if (!this.#hasAsked) this.#heldUntil = Math.max(this.#heldUntil, now + LEASE_TTL_MS / 10);
      this.#hasAsked = true;
      this.#renewAt = now + LEASE_TTL_MS / 10;
      if (this.#lease && !this.#isRenewing) void this.#renew(this.#lease, now);
    }
    if (this.#isRenewing && now >= this.#heldUntil) {
      this.#run.stop(new TholeError('LEASE_LOST', `The lease of invocation ${invocationId} could not be renewed.`));
      return Infinity;
    }
    return Math.min(abandonedAt, this.#renewAt);
  }

  // A store that cannot be reached for a while does not end a run: only a lease that is gone, or was not renewed in its time.
  async #renew(lease: Lease, now: number): Promise<void> {
    this.#isRenewing = true;
    try {
      await lease.renew();
      this.#holdFrom(now);
    } catch (error) {
      const isOver = this.#run.host.runtime.monotonic() >= this.#heldUntil;
      if (isOver || TholeError.is(error, 'LEASE_LOST')) this.#run.stop(error);
    } finally {
      this.#isRenewing = false;
    }
  }

  #holdFrom(now: number): void {
    this.#hasAsked = false;
    this.#heldUntil = now + LEASE_TTL_MS;
    this.#renewAt = now + LEASE_TTL_MS / 3;
  }
}
