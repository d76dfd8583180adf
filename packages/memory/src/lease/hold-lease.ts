import type { Lease, LeaseManager, Runtime, SessionRef } from '@thole/core';

/** Whose lease is held, and how it is waited for. */
export interface HoldLeaseOptions {
  leasing: LeaseManager;
  key: SessionRef;
  runtime: Runtime;
  holder: string;
  /** 0: not at all. */
  waitMs: number;
  /** How long it holds where nobody renews it any more (30,000). */
  ttlMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

const MAX_WAITING = 1_000;

/**
 * Does the work while the lease is held, renewing it, and lets go. The work's signal is aborted when the lease is lost or the
 * caller's signal is. `SESSION_BUSY` where somebody else holds it for too long.
 */
export async function holdLease<T>(
  p: HoldLeaseOptions,
  work: (signal: AbortSignal, lease: Lease) => Promise<T>,
): Promise<T> {
  const { leasing, key, runtime, holder, waitMs, signal, ttlMs = 30_000 } = p;
  const lease = await leasing.lease(key, {
    invocationId: runtime.newId('ingestion'),
    holder,
    policy: waitMs > 0 ? 'queue' : 'reject',
    waitMs,
    maxWaiting: MAX_WAITING,
    ttlMs,
    cleanupMs: 5_000,
    signal,
  });
  const ended = [lease.lost, lease.stop, ...(signal ? [signal] : [])];
  let cancel = renewLater();
  function renewLater(): () => void {
    return runtime.timer(ttlMs / 3, () => {
      // A lease that is lost says so by its signal; a store that cannot be reached for a while is asked again.
      lease.renew().then(renewed, renewed);
    });
  }
  let isOver = false;
  function renewed(): void {
    if (!isOver && !lease.lost.aborted) cancel = renewLater();
  }
  try {
    return await work(AbortSignal.any(ended), lease);
  } finally {
    isOver = true;
    cancel();
    await lease.release();
  }
}
