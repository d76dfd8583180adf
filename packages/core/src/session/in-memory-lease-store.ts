import type { Runtime } from '../runtime/runtime.ts';
import { sessionKeyOf } from './assert-name.ts';
import type { Fence, LeaseInfo, LeaseManager, ReleaseOptions, SessionHead } from './lease-manager.ts';
import type { LeaseAnswer, LeaseAsk, LeaseState, LeaseStore } from './lease-store.ts';
import type { SessionRef } from './session.ts';
import { StoredLeaseManager } from './stored-lease-manager.ts';

/** Returns a lease manager for the runs of this process, for session services without leases. */
export function inProcessLeases(runtime: Runtime): LeaseManager {
  return new StoredLeaseManager(new InMemoryLeaseStore(runtime), runtime, { pollMs: Infinity });
}

/** The sessions that an `InMemoryLeaseStore` belongs to. */
export interface LeasedSessions {
  /** Returns the current versions of a session. Undefined if it does not exist. */
  headOf(key: SessionRef): SessionHead | undefined;
  /**
   * Sets the marks and returns true. Returns false and changes nothing if the session has another last event than
   * `ifLastSeq`.
   */
  finish(key: SessionRef, options: ReleaseOptions): boolean;
}

/** Stores leases in the memory of this process. Every step is synchronous, so a turn needs no further microtask. */
export class InMemoryLeaseStore implements LeaseStore {
  readonly #lines = new Map<string, Line>();
  readonly #runtime: Runtime;
  readonly #sessions: LeasedSessions | undefined;
  /** The last line that was used. A run makes many consecutive calls for the same session. */
  #recent: Line | undefined;

  constructor(runtime: Runtime, sessions?: LeasedSessions) {
    this.#runtime = runtime;
    this.#sessions = sessions;
  }

  ask(key: SessionRef, ask: LeaseAsk): LeaseAnswer {
    const now = this.#runtime.monotonic();
    const line = this.#lineOf(key);
    const { lease, waiting } = line;
    const live = lease && now < lease.expiresAt && lease.fence !== ask.deadFence ? lease : undefined;
    if (live?.fence === ask.fence) return { kind: 'granted', head: this.#headOf(key) };
    const isInLine = waiting.some(({ fence }) => fence === ask.fence);
    const interrupts = ask.policy === 'interrupt';
    // A later run took its place: nothing else removes the place of a run that asks again.
    if (interrupts && !ask.isFirst && !isInLine) return { kind: 'overtaken' };
    if (!live && (waiting.length === 0 || waiting[0]!.fence === ask.fence)) return this.#grant(line, ask, now);

    if (!isInLine) {
      const others = interrupts ? waiting.filter((waiter) => !waiter.interrupts) : waiting;
      if (ask.policy === 'reject' || others.length >= ask.maxWaiting)
        return toRefusal('busy', live, others.length, now);
      const waiter = { fence: ask.fence, interrupts };
      line.waiting = interrupts ? [waiter, ...others] : [...others, waiter];
      if (interrupts && live) interrupt(live, ask, now);
    }
    return toRefusal('waiting', live, line.waiting.length - 1, now);
  }

  renew(
    key: SessionRef,
    fence: Fence,
    ttlMs: number,
  ): { head: SessionHead | undefined; expiresInMs: number } | undefined {
    const now = this.#runtime.monotonic();
    const { lease, waiting } = this.#find(key) ?? { waiting: [] };
    if (lease?.fence !== fence || now >= lease.latestExpiry) return undefined;
    if (now >= lease.expiresAt && waiting.length > 0) return undefined;
    lease.expiresAt = Math.min(now + ttlMs, lease.latestExpiry);
    return { head: this.#headOf(key), expiresInMs: lease.expiresAt - now };
  }

  release(key: SessionRef, fence: Fence, options: ReleaseOptions): boolean {
    const line = this.#find(key);
    if (!line) return true;
    if (line.lease?.fence === fence) {
      if (this.#sessions?.finish(key, options) === false) return false;
      line.lease = undefined;
    } else if (line.waiting.length > 0) {
      line.waiting = line.waiting.filter((waiter) => waiter.fence !== fence);
    }
    if (!line.lease && line.waiting.length === 0) this.#remove(line);
    return true;
  }

  requestStop(key: SessionRef, invocationId: string): Fence | undefined {
    const lease = this.#find(key)?.lease;
    if (!lease || lease.invocationId !== invocationId || !this.#isLive(lease)) return undefined;
    lease.stop ??= { by: undefined };
    return lease.fence;
  }

  poll(leases: readonly { readonly key: SessionRef; readonly fence: Fence }[]): (LeaseState | undefined)[] {
    const now = this.#runtime.monotonic();
    return leases.map(({ key, fence }) => {
      const lease = this.#find(key)?.lease;
      if (lease?.fence !== fence) return undefined;
      return { expiresInMs: lease.expiresAt - now, stop: lease.stop };
    });
  }

  async current(key: SessionRef): Promise<LeaseInfo | undefined> {
    const line = this.#find(key);
    return line?.lease && this.#toInfo(line.key, line.lease);
  }

  async *leases(appName: string): AsyncIterable<LeaseInfo> {
    for (const { key, lease } of [...this.#lines.values()]) {
      if (lease && key.appName === appName) yield this.#toInfo(key, lease);
    }
  }

  /** True if the lease of the session has this fence, live or expired: the check of an append with a fence. */
  holds(key: SessionRef, fence: Fence): boolean {
    return this.#find(key)?.lease?.fence === fence;
  }

  /** True if this invocation has a live lease without a stop request: the check of an append with `ifHeldBy`. */
  isRunning(key: SessionRef, invocationId: string): boolean {
    const lease = this.#find(key)?.lease;
    return lease?.invocationId === invocationId && !lease.stop && this.#isLive(lease);
  }

  #grant(line: Line, ask: LeaseAsk, now: number): LeaseAnswer {
    if (line.waiting.length > 0) line.waiting = line.waiting.slice(1);
    line.lease = {
      fence: ask.fence,
      invocationId: ask.invocationId,
      holder: ask.holder,
      process: ask.process,
      expiresAt: now + ask.ttlMs,
      latestExpiry: Infinity,
      stop: undefined,
    };
    return { kind: 'granted', head: this.#headOf(line.key) };
  }

  #headOf(key: SessionRef): SessionHead | undefined {
    return this.#sessions?.headOf(key);
  }

  #isLive(lease: StoredLeaseState): boolean {
    return this.#runtime.monotonic() < lease.expiresAt;
  }

  #find(key: SessionRef): Line | undefined {
    if (!this.#recent || !isSame(this.#recent.key, key)) this.#recent = this.#lines.get(sessionKeyOf(key));
    return this.#recent;
  }

  #lineOf(key: SessionRef): Line {
    const id = sessionKeyOf(key);
    let line = this.#lines.get(id);
    if (!line) {
      const { appName, userId, sessionId } = key;
      line = { id, key: { appName, userId, sessionId }, lease: undefined, waiting: [] };
      this.#lines.set(id, line);
    }
    return (this.#recent = line);
  }

  #remove(line: Line): void {
    this.#lines.delete(line.id);
    if (this.#recent === line) this.#recent = undefined;
  }

  #toInfo(key: SessionRef, { invocationId, holder, process, expiresAt }: StoredLeaseState): LeaseInfo {
    const leftMs = expiresAt - this.#runtime.monotonic();
    const info = { key: { ...key }, invocationId, holder, ...(process !== undefined && { process }) };
    return { ...info, expiresAt: this.#runtime.now() + leftMs / 1000, expired: leftMs <= 0 };
  }
}

/** A session's lease, and the runs that wait for it in order. */
interface Line {
  readonly id: string;
  readonly key: SessionRef;
  lease: StoredLeaseState | undefined;
  waiting: readonly { readonly fence: Fence; readonly interrupts: boolean }[];
}

/** A lease. Times are measured with the monotonic clock. */
interface StoredLeaseState {
  readonly fence: Fence;
  readonly invocationId: string;
  readonly holder: string;
  readonly process: string | undefined;
  expiresAt: number;
  /** No renewal extends the lease beyond this time. */
  latestExpiry: number;
  stop: LeaseState['stop'];
}

function toRefusal(
  kind: 'waiting' | 'busy',
  live: StoredLeaseState | undefined,
  waiting: number,
  now: number,
): LeaseAnswer {
  if (!live) return { kind, heldBy: undefined, waiting };
  const { fence, invocationId, process, expiresAt } = live;
  return { kind, heldBy: { fence, invocationId, process, expiresInMs: expiresAt - now }, waiting };
}

function interrupt(live: StoredLeaseState, ask: LeaseAsk, now: number): void {
  live.latestExpiry = Math.min(live.latestExpiry, now + ask.cleanupMs);
  live.expiresAt = Math.min(live.expiresAt, live.latestExpiry);
  live.stop ??= { by: ask.invocationId };
}

function isSame(a: SessionRef, b: SessionRef): boolean {
  return a.sessionId === b.sessionId && a.userId === b.userId && a.appName === b.appName;
}
