import { assertCount } from '../errors/assert-count.ts';
import { assertSeconds } from '../errors/assert-seconds.ts';
import { invalidInput } from '../errors/invalid-input.ts';
import { optionNames } from '../errors/option-names.ts';
import { rejectUnknownOptions } from '../errors/reject-unknown-options.ts';
import { assertName } from './assert-name.ts';
import type { SessionMarks } from './session.ts';

/** Marks of a new session. */
export const noMarks: SessionMarks = Object.freeze({ unfinished: null, wakeAt: null, openInterrupts: 0 });

const names = optionNames<SessionMarks>({ unfinished: true, wakeAt: true, openInterrupts: true });

/** Throws `INVALID_INPUT` for marks with an unknown name or a value of the wrong type. */
export function assertMarks(marks: Partial<SessionMarks>): void {
  if (typeof marks !== 'object' || marks === null) throw invalidInput('marks', 'an object', marks);
  // This check runs in each turn. `rejectUnknownOptions` alone takes several times as long.
  for (const name in marks)
    if (name !== 'unfinished' && name !== 'wakeAt' && name !== 'openInterrupts')
      rejectUnknownOptions(marks, names, 'marks');
  const { unfinished, wakeAt, openInterrupts } = marks;
  if (unfinished !== undefined && unfinished !== null) assertName('marks.unfinished', unfinished);
  if (wakeAt !== undefined && wakeAt !== null) assertSeconds('marks.wakeAt', wakeAt);
  if (openInterrupts !== undefined) assertCount('marks.openInterrupts', openInterrupts);
}
