import { TholeError } from '@thole/core';
import { isReplyError } from './map-redis-error.ts';
import type { RedisCalls } from './redis-calls.ts';
import { isCluster } from './redis-client.ts';
import type { RedisClient } from './redis-client.ts';

/**
 * Detects whether one script may use keys of several slots. With a Cluster client it may not. A plain client may also be connected to a
 * server in cluster mode, so the first call reads the mode from the server. A proxy may hide the mode and still reply CROSSSLOT.
 * Therefore each CROSSSLOT reply turns cluster mode on. The server has done nothing in that case, so the call is repeated.
 */
export class ServerMode {
  readonly #calls: RedisCalls;
  #isCluster: boolean | undefined;

  constructor(client: RedisClient, calls: RedisCalls) {
    this.#calls = calls;
    if (isCluster(client)) this.#isCluster = true;
  }

  /** True if the server is known to be in cluster mode. */
  get isCluster(): boolean {
    return this.#isCluster === true;
  }

  /** Runs `work` when the mode is known. Repeats it once if the server replies CROSSSLOT. */
  run<T>(work: () => Promise<T>, p: { isWrite: boolean }): Promise<T> {
    if (this.#isCluster !== undefined) return this.#runAndRetry(work);
    return this.#calls.withDeadline(
      async (markWriting) => {
        this.#isCluster ??= await this.#readMode();
        if (p.isWrite) markWriting();
        return this.#runAndRetry(work);
      },
      { isWriting: false },
    );
  }

  #runAndRetry<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isCluster) return work();
    return work().catch((error: unknown) => {
      if (!isCrossSlot(error)) throw error;
      this.#isCluster = true;
      return work();
    });
  }

  async #readMode(): Promise<boolean> {
    try {
      return /^cluster_enabled:1/m.test(await this.#calls.info('cluster'));
    } catch (error) {
      // The server may forbid INFO. If it is in cluster mode, it replies CROSSSLOT later.
      if (isReplyError((error as { cause?: unknown }).cause)) return false;
      throw error;
    }
  }
}

function isCrossSlot(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return TholeError.is(error) && cause instanceof Error && /\bCROSSSLOT\b/.test(cause.message);
}
