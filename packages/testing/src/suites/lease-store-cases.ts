import { leaseAskCases } from './lease-ask-cases.ts';
import { leaseStepCases } from './lease-step-cases.ts';
import type { SessionStoreCase } from './lease-store-support.ts';

/**
 * Promises of the `LeaseStore` of a session store, step by step. The subject is a `SessionStore` whose `abilities.leasing` is
 * a `StoredLeaseManager`. Claim: `lease`.
 */
export const leaseStoreCases: readonly SessionStoreCase[] = [...leaseAskCases, ...leaseStepCases];
