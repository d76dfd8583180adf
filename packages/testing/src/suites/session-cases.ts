import type { SessionService } from '@thole/core';
import type { Case } from '../case.ts';
import { sessionAppendCases } from './session-append-cases.ts';
import { sessionConcurrentCases } from './session-concurrent-cases.ts';
import { sessionCreateCases } from './session-create-cases.ts';
import { sessionDurableCases } from './session-durable-cases.ts';
import { sessionEventCases } from './session-event-cases.ts';
import { sessionFenceCases } from './session-fence-cases.ts';
import { sessionGivenCases } from './session-given-cases.ts';
import { sessionIncarnationCases } from './session-incarnation-cases.ts';
import { sessionInterruptCases } from './session-interrupt-cases.ts';
import { sessionLeaseCases } from './session-lease-cases.ts';
import { sessionLineCases } from './session-line-cases.ts';
import { sessionListCases } from './session-list-cases.ts';
import { sessionNameCases } from './session-name-cases.ts';
import { sessionStateCases } from './session-state-cases.ts';
import { sessionWatchCases } from './session-watch-cases.ts';
import { sessionWindowCases } from './session-window-cases.ts';

/**
 * Promises of a `SessionService`. Claims: `lease`, `watch`, `durable` (with `reopen`), and `ttl-60s` (the sessions of the
 * subject expire 60 seconds after their last event).
 */
export const sessionServiceCases: readonly Case<SessionService>[] = [
  ...sessionCreateCases,
  ...sessionNameCases,
  ...sessionWindowCases,
  ...sessionAppendCases,
  ...sessionConcurrentCases,
  ...sessionGivenCases,
  ...sessionIncarnationCases,
  ...sessionEventCases,
  ...sessionStateCases,
  ...sessionListCases,
  ...sessionLeaseCases,
  ...sessionLineCases,
  ...sessionInterruptCases,
  ...sessionFenceCases,
  ...sessionWatchCases,
  ...sessionDurableCases,
];
