import type { Fence } from '@thole/core';
import type { LeaseCondition } from '../session/append-record.ts';

/** Returns the condition that the lease has this fence. The lease may have expired. */
export function fenceCondition(fence: Fence): LeaseCondition {
  return { sql: 'l.fence = ?', parameters: [fence], refusal: 'lease-lost' };
}

/** Returns the condition that this invocation has a live lease without a stop request. */
export function heldByCondition(invocationId: string, now: number): LeaseCondition {
  return {
    sql: 'l.invocation_id = ? AND l.expires_at > ? AND l.stop_code IS NULL',
    parameters: [encodeName(invocationId), now],
    refusal: 'not-running',
  };
}

/** Converts an id to text that every database stores unchanged: JSON, because an id may contain NUL. */
export function encodeName(name: string): string {
  return JSON.stringify(name);
}
