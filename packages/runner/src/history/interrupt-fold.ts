import { applyRewinds, InterruptLog } from '@thole/core/kit';
import type { EventLog } from '@thole/core';

interface Fold {
  readonly log: EventLog;
  readonly epoch: number;
  readonly interrupts: InterruptLog;
  seen: number;
}

const KEY = 'interrupts';

/** Returns the interrupts of a session. Reads only events since the last call, or all events if the log's epoch has changed. */
export function interruptsOf(session: { log: EventLog; folds: Map<string, unknown> }): InterruptLog {
  const { log, folds } = session;
  let fold = folds.get(KEY) as Fold | undefined;
  if (!fold || fold.log !== log || fold.epoch !== log.epoch) {
    fold = { log, epoch: log.epoch, interrupts: new InterruptLog(), seen: log.length };
    for (const event of log.epoch === 0 ? log : applyRewinds([...log])) fold.interrupts.add(event);
    folds.set(KEY, fold);
  }
  for (; fold.seen < log.length; fold.seen++) fold.interrupts.add(log.at(fold.seen)!);
  return fold.interrupts;
}
