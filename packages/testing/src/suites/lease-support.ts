import assert from 'node:assert/strict';
import type { LeaseRequest, LeaseManager, SessionService } from '@thole/core';
import { createSession } from './session-support.ts';

/** Returns the lease manager of the service. Suites that claim `lease` have one. */
export function leasingOf(service: SessionService): LeaseManager {
  assert.ok(service.leasing, 'A suite that claims "lease" needs service.leasing.');
  return service.leasing;
}

/** Creates the session that most cases use, and returns the lease manager of the service. */
export async function setUpLeasing(service: SessionService): Promise<LeaseManager> {
  await createSession(service);
  return leasingOf(service);
}

/** Returns a request that waits 30 seconds by default. */
export function request(invocationId: string, more: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    invocationId,
    holder: 'runner-1',
    policy: 'queue',
    waitMs: 30_000,
    maxWaiting: 16,
    ttlMs: 30_000,
    cleanupMs: 5_000,
    ...more,
  };
}
