import { TholeError } from '../errors/thole-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { sessionKeyOf } from './assert-name.ts';
import { LazySignal } from './lazy-signal.ts';
import { OwnLease } from './own-lease.ts';
import { gaveWay, leaseLost, tellHolder } from './lease-line.ts';
import type { Held, Line, Waiter } from './lease-line.ts';
import type { Fence, Lease, LeaseInfo, LeaseRequest, LeaseManager, SessionHead } from './lease-manager.ts';
import type { SessionRef } from './session.ts';

/**
 * Leases among the runners of one process: for stores in memory, and for session services that bring no leasing of their
 * own. `headOf` says how a session stands at the moment its lease is given.
 */
export class InProcessLeaseManager implements LeaseManager {
  readonly #lines = new Map<string, Line>();
  readonly #runtime: Runtime;
  /** How a session stands. */
  readonly headOf: (key: SessionRef) => SessionHead | undefined;
  #fences = 0;
  /** The line that was asked for last: a run's appends follow one another. */
  #recent: Line | undefined;

  constructor(runtime: Runtime, headOf: (key: SessionRef) => SessionHead | undefined = () => undefined) {
    this.#runtime = runtime;
    this.headOf = headOf;
  }

  async lease(key: SessionRef, request: LeaseRequest): Promise<Lease> {
    request.signal?.throwIfAborted();
    const id = sessionKeyOf(key);
    let line = this.#lines.get(id);
    if (!line) this.#lines.set(id, (line = { id, key, waiting: [] }));
    this.#recent = line;
    this.#dropExpired(line);
    if (!line.held && line.waiting.length === 0) return this.#give(line, request);
    const busy = `Session ${key.sessionId} is held by invocation ${line.held?.invocationId ?? 'that is about to begin'}`;
    if (request.policy === 'reject') throw new TholeError('SESSION_BUSY', `${busy}.`);
    const overtaken = request.policy === 'interrupt' ? line.waiting.filter(isInterrupting) : [];
    const waiting = line.waiting.length - overtaken.length;
    if (waiting >= request.maxWaiting)
      throw new TholeError('SESSION_BUSY', `${busy}, and ${waiting} more wait for it.`);
    // Of those that interrupt the newest runs.
    for (const waiter of overtaken) waiter.refuse(gaveWay(waiter.request.invocationId, request.invocationId));
    line.waiting = line.waiting.filter((waiter) => !overtaken.includes(waiter));
    return this.#wait(line, request, busy);
  }

  async current(key: SessionRef): Promise<LeaseInfo | undefined> {
    const line = this.#lines.get(sessionKeyOf(key));
    return line?.held && this.#infoOf(line, line.held);
  }

  async *leases(appName: string): AsyncIterable<LeaseInfo> {
    for (const line of [...this.#lines.values()]) {
      if (line.held && line.key.appName === appName) yield this.#infoOf(line, line.held);
    }
  }

  async requestStop(key: SessionRef, invocationId: string): Promise<boolean> {
    const held = this.#lines.get(sessionKeyOf(key))?.held;
    if (!held || held.invocationId !== invocationId || this.#isExpired(held)) return false;
    tellHolder(held, 'stop', new TholeError('RUN_ABORTED', `Invocation ${invocationId} was cancelled.`));
    return true;
  }

  /**
   * True if this fence belongs to the lease that holds the session now; stores ask at each fenced append. A lease that ran out
   * holds until another run asks for the session.
   */
  holds(key: SessionRef, fence: Fence): boolean {
    if (!this.#recent || !isSame(this.#recent.key, key)) this.#recent = this.#lines.get(sessionKeyOf(key));
    const held = this.#recent?.held;
    return held !== undefined && held.fence === fence;
  }

  #give(line: Line, request: LeaseRequest): Lease {
    const held: Held = {
      fence: String(++this.#fences),
      invocationId: request.invocationId,
      holder: request.holder,
      expiresAt: this.#runtime.monotonic() + request.ttlMs,
      latestEnd: Infinity,
      lost: new LazySignal(),
      stop: new LazySignal(),
      onEnd: request.onEnd,
    };
    line.held = held;
    return new OwnLease(this, line, held, request.ttlMs);
  }

  /**
   * Extends a lease by `ttlMs` from now on, also one that ran out, unless another run waits for it. Throws `LEASE_LOST` if it is
   * gone.
   */
  renew(line: Line, held: Held, ttlMs: number): void {
    if (line.held === held && line.waiting.length > 0 && this.#isExpired(held)) {
      this.#dropExpired(line);
      this.#next(line);
    }
    if (line.held !== held || this.#runtime.monotonic() >= held.latestEnd) throw leaseLost(held);
    held.expiresAt = Math.min(this.#runtime.monotonic() + ttlMs, held.latestEnd);
  }

  /** Takes a lease back; the next in line has its turn. */
  release(line: Line, held: Held): void {
    if (line.held !== held) return;
    line.held = undefined;
    this.#next(line);
  }

  async #wait(line: Line, request: LeaseRequest, busy: string): Promise<Lease> {
    const giveUp = new AbortController();
    const granted = new Promise<Lease>((resolve, reject) => {
      const waiter: Waiter = { request, grant: resolve, refuse: reject };
      if (request.policy === 'interrupt') line.waiting.unshift(waiter);
      else line.waiting.push(waiter);
      giveUp.signal.addEventListener('abort', () => {
        const at = line.waiting.indexOf(waiter);
        if (at >= 0) line.waiting.splice(at, 1);
        this.#forgetIfEmpty(line);
      });
    });
    if (request.policy === 'interrupt' && line.held) this.#interrupt(line.held, request);
    this.#watchExpiry(line);
    const signal = request.signal ? AbortSignal.any([giveUp.signal, request.signal]) : giveUp.signal;
    const timeUp = this.#runtime.sleep(request.waitMs, signal).then(() => {
      throw new TholeError('SESSION_BUSY', `${busy}; waited ${request.waitMs} ms.`);
    });
    try {
      return await Promise.race([granted, timeUp]);
    } catch (error) {
      // It may have been given between the end of the wait and here.
      void granted.then(
        (lease) => lease.release(),
        () => {},
      );
      throw error;
    } finally {
      timeUp.catch(() => {});
      giveUp.abort();
    }
  }

  #interrupt(held: Held, request: LeaseRequest): void {
    held.latestEnd = Math.min(held.latestEnd, this.#runtime.monotonic() + request.cleanupMs);
    held.expiresAt = Math.min(held.expiresAt, held.latestEnd);
    tellHolder(held, 'stop', gaveWay(held.invocationId, request.invocationId));
  }

  #next(line: Line): void {
    line.expiry?.();
    line.expiry = undefined;
    const waiter = line.held ? undefined : line.waiting.shift();
    if (waiter) {
      waiter.grant(this.#give(line, waiter.request));
      if (line.waiting.length > 0) this.#watchExpiry(line);
    } else {
      this.#forgetIfEmpty(line);
    }
  }

  // Only a line with waiters needs a timer: everyone else looks at the clock when it comes.
  #watchExpiry(line: Line): void {
    if (!line.held) return;
    line.expiry?.();
    line.expiry = this.#runtime.timer(Math.max(0, line.held.expiresAt - this.#runtime.monotonic()), () => {
      line.expiry = undefined;
      if (line.held && !this.#isExpired(line.held)) return this.#watchExpiry(line);
      this.#dropExpired(line);
      this.#next(line);
    });
  }

  #dropExpired(line: Line): void {
    const held = line.held;
    if (!held || !this.#isExpired(held)) return;
    line.held = undefined;
    tellHolder(held, 'lost', leaseLost(held));
  }

  #isExpired(held: Held): boolean {
    return this.#runtime.monotonic() >= held.expiresAt;
  }

  #forgetIfEmpty(line: Line): void {
    if (line.held || line.waiting.length > 0) return;
    this.#lines.delete(line.id);
    if (this.#recent === line) this.#recent = undefined;
  }

  #infoOf(line: Line, held: Held): LeaseInfo {
    const left = held.expiresAt - this.#runtime.monotonic();
    return {
      key: { ...line.key },
      invocationId: held.invocationId,
      holder: held.holder,
      expiresAt: this.#runtime.now() + left / 1000,
      expired: left <= 0,
    };
  }
}

function isInterrupting({ request }: Waiter): boolean {
  return request.policy === 'interrupt';
}

function isSame(a: SessionRef, b: SessionRef): boolean {
  return a.sessionId === b.sessionId && a.userId === b.userId && a.appName === b.appName;
}
