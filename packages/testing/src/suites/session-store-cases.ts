import type { SessionStoreCase } from './lease-store-support.ts';
import { storeAppendCases } from './store-append-cases.ts';
import { storeMarkCases } from './store-mark-cases.ts';
import { storeReadCases } from './store-read-cases.ts';
import { storeWaitingCases } from './store-waiting-cases.ts';

/**
 * Promises of a `SessionStore` that a `SessionService` does not show: conditions of appends, marks, the reads of
 * watchers and the lists of waiting sessions. Claims: `lease` (`abilities.leasing` is a `StoredLeaseManager`) and `watch` (`abilities.watching` is a
 * `StoredEventWatcher`).
 */
export const sessionStoreCases: readonly SessionStoreCase[] = [
  ...storeAppendCases,
  ...storeMarkCases,
  ...storeReadCases,
  ...storeWaitingCases,
];
