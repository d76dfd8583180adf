import type { SessionService } from '@thole/core';
import type { Case } from '../case.ts';
import { sessionAppendCases } from './session-append-cases.ts';
import { sessionConcurrentCases } from './session-concurrent-cases.ts';
import { sessionCreateCases } from './session-create-cases.ts';
import { sessionDurableCases } from './session-durable-cases.ts';
import { sessionEventCases } from './session-event-cases.ts';
import { sessionFenceCases } from './session-fence-cases.ts';
import { sessionHandedInCases } from './session-handed-in-cases.ts';
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
 * What every session service promises. Claims: `lease`, `watch`, `durable` (give `reopen`), and `ttl-60s` (the subject is
 * made so that its sessions live 60 seconds).
 */
export const sessionServiceCases: readonly Case<SessionService>[] = [
  ...sessionCreateCases,
  ...sessionNameCases,
  ...sessionWindowCases,
  ...sessionAppendCases,
  ...sessionConcurrentCases,
  ...sessionHandedInCases,
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
