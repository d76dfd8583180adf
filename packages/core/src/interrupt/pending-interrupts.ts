import { applyRewinds } from '../event/apply-rewinds.ts';
import type { Event } from '../event/event.ts';
import { InterruptLog } from './interrupt-log.ts';
import type { Interrupt } from './interrupt.ts';

/**
 * Returns the open interrupts of a history that can be answered now, oldest first. An interrupt is open until its first answer, a
 * rewind of its request, or a closing record after which its invocation cannot be resumed. It stays open after `expiresAt` until
 * the runtime has answered it. A long-running call that waits for its confirmation is left out: it has not begun.
 */
export function pendingInterrupts(events: readonly Event[]): Interrupt[] {
  const log = new InterruptLog();
  for (const event of applyRewinds(events)) log.add(event);
  return log.answerable().map(({ interrupt }) => interrupt);
}
