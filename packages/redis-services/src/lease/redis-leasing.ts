import { TholeError } from '@thole/core';
import { raceAbort } from '@thole/core/kit';
import type { Lease, LeaseInfo, LeaseRequest, LeaseManager, Runtime, SessionRef } from '@thole/core';
import { LeaseCommands } from './lease-commands.ts';
import type { Asked, Asking } from './lease-commands.ts';
import type { LocalWakes } from './local-wakes.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import { overtakenError, RedisLease, stopError } from './redis-lease.ts';
import type { StoreContext } from '../session/store-context.ts';

/** The first look after another process comes so soon; each further one a half later, up to `pollMs`. */
const FIRST_LOOK_MS = 20;

/**
 * Leases among all processes that share the keys. The line stands in Redis and the server's clock counts; who waits looks
 * again and again, and is woken at once by what happens in this process.
 */
export class RedisLeasing implements LeaseManager {
  readonly #commands: LeaseCommands;
  readonly #keys: RedisKeys;
  readonly #runtime: Runtime;
  readonly #wakes: LocalWakes;
  readonly #pollMs: number;
  // By fence: to tell a holder in this process at once.
  readonly #held = new Map<string, RedisLease>();

  constructor(p: StoreContext) {
    this.#commands = new LeaseCommands(p);
    this.#keys = p.keys;
    this.#runtime = p.runtime;
    this.#wakes = p.wakes;
    this.#pollMs = p.pollMs;
  }

  async lease(key: SessionRef, request: LeaseRequest): Promise<Lease> {
    request.signal?.throwIfAborted();
    const token = this.#runtime.newId('lease');
    let last: Promise<unknown> = Promise.resolve();
    const ask = (asking: Asking): Promise<Asked> => {
      const asked = this.#commands.acquire(key, token, request, asking);
      last = asked;
      return raceAbort(asked, request.signal);
    };
    try {
      return await this.#inLine(key, token, request, ask);
    } catch (error) {
      // It may stand in the line, and it may even have been given, or be given yet.
      if (!TholeError.is(error, 'SESSION_BUSY') || request.policy !== 'reject') void this.#leave(key, token, last);
      throw error;
    }
  }

  async current(key: SessionRef): Promise<LeaseInfo | undefined> {
    return (await this.#commands.look(key))?.info;
  }

  leases(appName: string): AsyncIterable<LeaseInfo> {
    return this.#commands.listed(appName);
  }

  async requestStop(key: SessionRef, invocationId: string): Promise<boolean> {
    const token = await this.#commands.requestStop(key, invocationId);
    if (token === undefined) return false;
    this.#held.get(token)?.tell('stop', stopError(invocationId, ''));
    return true;
  }

  async #inLine(
    key: SessionRef,
    token: string,
    request: LeaseRequest,
    ask: (asking: Asking) => Promise<Asked>,
  ): Promise<Lease> {
    const end = this.#runtime.monotonic() + request.waitMs;
    let pause = FIRST_LOOK_MS;
    for (let [isFirst, dead] = [true, '']; ; isFirst = false) {
      const asked = this.#runtime.monotonic();
      let answer = await ask({ isFirst, dead });
      // The process that holds the session has died and will never release it.
      if ('heldToken' in answer && answer.heldToken !== dead && this.#commands.isDead(answer.heldBy)) {
        dead = answer.heldToken;
        answer = await ask({ isFirst: isFirst && answer.outcome === 'BUSY', dead });
      }
      if (answer.outcome === 'OK') return this.#give(key, token, request, asked, answer.head);
      if (answer.outcome === 'INTERRUPTED') throw overtakenError(request.invocationId);
      const { invocationId, waiting } = answer;
      const busy = `Session ${key.sessionId} is held by invocation ${invocationId || 'that is about to begin'}`;
      if (answer.outcome === 'BUSY') {
        throw new TholeError('SESSION_BUSY', waiting === 0 ? `${busy}.` : `${busy}, and ${waiting} more wait for it.`);
      }
      if (isFirst && request.policy === 'interrupt') {
        this.#lookAtHolder(invocationId);
        this.#wakes.wake(this.#keys.session(key).lease);
      }
      const left = end - this.#runtime.monotonic();
      if (left <= 0) throw new TholeError('SESSION_BUSY', `${busy}; waited ${request.waitMs} ms.`);
      const ms = pause * (0.75 + this.#runtime.random() / 2);
      pause = Math.min(pause * 1.5, this.#pollMs);
      await this.#wakes.wait(this.#keys.session(key).lease, Math.min(ms, left), request.signal);
      request.signal?.throwIfAborted();
      if (this.#runtime.monotonic() >= end)
        throw new TholeError('SESSION_BUSY', `${busy}; waited ${request.waitMs} ms.`);
    }
  }

  #give(key: SessionRef, token: string, request: LeaseRequest, asked: number, head: Lease['head']): RedisLease {
    const lease = new RedisLease(key, token, request, head, {
      commands: this.#commands,
      runtime: this.#runtime,
      pollMs: this.#pollMs,
      ended: () => {
        this.#held.delete(token);
        this.#wakes.wake(this.#keys.session(key).lease);
      },
    });
    this.#held.set(token, lease);
    // By when it was asked for, so that the holder never believes in it for longer than the server does.
    lease.begin(asked + request.ttlMs - this.#runtime.monotonic());
    return lease;
  }

  #lookAtHolder(invocationId: string): void {
    for (const lease of this.#held.values()) if (lease.invocationId === invocationId) void lease.look();
  }

  async #leave(key: SessionRef, token: string, last: Promise<unknown>): Promise<void> {
    await last.catch(() => {});
    await this.#commands.release(key, token).catch(() => {});
    this.#wakes.wake(this.#keys.session(key).lease);
  }
}
