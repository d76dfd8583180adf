import assert from 'node:assert/strict';
import type { LeaseRequest, LeaseManager, SessionService } from '@thole/core';
import { made } from './session-support.ts';

/** What the service can lease with; who claims `lease` has it. */
export function leasingOf(service: SessionService): LeaseManager {
  assert.ok(service.leasing, 'the service has no leasing: do not claim lease');
  return service.leasing;
}

/** The same, with the session that most cases use made. */
export async function ready(service: SessionService): Promise<LeaseManager> {
  await made(service);
  return leasingOf(service);
}

/** One runner's request, patient by default. */
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
