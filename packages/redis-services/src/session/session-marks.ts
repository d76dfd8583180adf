import type { SessionMarks, WaitingKind } from '@thole/core';

/** Returns pairs of field and value of a session's record for the given marks. A value is '' for a mark that is null or 0. */
export function toMarkFields(marks: Partial<SessionMarks> | undefined): string[] {
  const fields: string[] = [];
  if (!marks) return fields;
  const { unfinished, wakeAt, openInterrupts } = marks;
  if (unfinished !== undefined) fields.push('unfinished', unfinished ?? '');
  if (wakeAt !== undefined) fields.push('wakeAt', String(wakeAt ?? ''));
  if (openInterrupts !== undefined) fields.push('openInterrupts', String(openInterrupts || ''));
  return fields;
}

/** Returns the marks from the values of these fields, which are null for missing fields. */
export function readMarks(unfinished: unknown, wakeAt: unknown, openInterrupts: unknown): SessionMarks {
  return {
    unfinished: (unfinished ?? null) as string | null,
    wakeAt: (wakeAt ?? null) === null ? null : Number(wakeAt),
    openInterrupts: Number(openInterrupts ?? 0),
  };
}

/** For each kind of waiting session, the fields of the record that contain the mark and the time in the lists. */
export const waitingFields: { readonly [kind in WaitingKind]: { readonly mark: string; readonly time: string } } = {
  unfinished: { mark: 'unfinished', time: 'ut' },
  due: { mark: 'wakeAt', time: 'wakeAt' },
  interrupts: { mark: 'openInterrupts', time: 'ut' },
};
