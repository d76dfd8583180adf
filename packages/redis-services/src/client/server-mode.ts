import { TholeError } from '@thole/core';
import { isReplyError } from './map-redis-error.ts';
import { isCluster } from './redis-client.ts';
import type { RedisClient } from './redis-client.ts';
import type { RedisCalls } from './redis-calls.ts';

/**
 * Whether the server lets one script touch keys of several slots. A Cluster client says that it does not; other clients may
 * talk to a server in cluster mode too, so that one is asked at the first contact. A proxy may know nothing of it and still answer
 * CROSSSLOT, which is believed whenever it comes: the server has done nothing then.
 */
export class ServerMode {
  readonly #calls: RedisCalls;
  #isCluster: boolean | undefined;

  constructor(client: RedisClient, calls: RedisCalls) {
    this.#calls = calls;
    if (isCluster(client)) this.#isCluster = true;
  }

  /** True if keys of different slots must not meet in a script, as far as is known. */
  get isCluster(): boolean {
    return this.#isCluster === true;
  }

  /** Does the work once the mode is known, and again if the server answers CROSSSLOT. The first call asks for the mode. */
  run<T>(work: () => Promise<T>, p: { isWrite: boolean }): Promise<T> {
    if (this.#isCluster !== undefined) return this.#attempt(work);
    return this.#calls.withDeadline(
      async (begins) => {
        this.#isCluster ??= await this.#ask();
        begins();
        return this.#attempt(work);
      },
      p.isWrite ? 'later' : false,
    );
  }

  #attempt<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isCluster) return work();
    return work().catch((error: unknown) => {
      if (!isCrossSlot(error)) throw error;
      this.#isCluster = true;
      return work();
    });
  }

  async #ask(): Promise<boolean> {
    try {
      return /^cluster_enabled:1/m.test(await this.#calls.info('cluster'));
    } catch (error) {
      // A server that does not let us ask answers CROSSSLOT when it matters.
      if (isReplyError((error as { cause?: unknown }).cause)) return false;
      throw error;
    }
  }
}

function isCrossSlot(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return TholeError.is(error) && cause instanceof Error && /\bCROSSSLOT\b/.test(cause.message);
}
