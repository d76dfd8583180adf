import { linkSignals } from '@thole/core/kit';
import type { LeaseManager, Runtime, SessionRef } from '@thole/core';

/** Options of `holdLease`. */
export interface HoldLeaseOptions {
  leasing: LeaseManager;
  key: SessionRef;
  runtime: Runtime;
  holder: string;
  /** Maximum time to wait for the lease in milliseconds. 0 does not wait. */
  waitMs: number;
  /** Time in milliseconds after which a lease that is not renewed ends. Default: 30,000. */
  ttlMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Maximum number of callers that wait for one lease. */
const MAX_WAITING = 1_000;

/**
 * Calls `work` while holding and renewing a lease, and then releases it. The signal for `work` is aborted if the lease is lost or
 * the caller's signal is aborted. Throws `SESSION_BUSY` if another holder keeps the lease for longer than `waitMs`.
 */
export async function holdLease<T>(p: HoldLeaseOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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
  const end = linkSignals(lease.lost, lease.stop, ...(signal ? [signal] : []));
  let hasEnded = false;
  let cancelRenewal = (): void => {};
  const renewLater = (): void => {
    if (hasEnded || lease.lost.aborted) return;
    // A lost lease aborts its signal. After an error of the store the lease is renewed again later.
    cancelRenewal = runtime.timer(ttlMs / 3, () => void lease.renew().then(renewLater, renewLater));
  };
  renewLater();
  try {
    return await work(end.signal);
  } finally {
    hasEnded = true;
    cancelRenewal();
    end.unlink();
    await lease.release();
  }
}
