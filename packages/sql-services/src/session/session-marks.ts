import type { SessionMarks } from '@thole/core';
import type { Row, SqlValue } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { columnTextOrUndefined } from './row-values.ts';

type MarkColumn = 'unfinished' | 'wake_at' | 'open_interrupts';

/** A mark to write: its column and its value. */
export interface MarkValue {
  readonly column: MarkColumn;
  readonly value: SqlValue;
}

/** SQL conditions for a session that has the mark. The alias of the sessions is `s`. */
const markConditions: { readonly [column in MarkColumn]: string } = {
  unfinished: 's.unfinished IS NOT NULL',
  wake_at: 's.wake_at IS NOT NULL',
  open_interrupts: 's.open_interrupts > 0',
};

/** Columns of the marks in a SELECT. The alias of the sessions is `s`. */
export const selectMarks: string =
  's.unfinished AS unfinished, s.wake_at AS wake_at, s.open_interrupts AS open_interrupts';

/** Returns the columns and values of the given marks, always in the same order. */
export function toMarkValues(dialect: Dialect, marks: Partial<SessionMarks> | undefined): readonly MarkValue[] {
  if (!marks) return [];
  const { unfinished, wakeAt, openInterrupts } = marks;
  const values: MarkValue[] = [];
  if (unfinished !== undefined) {
    values.push({ column: 'unfinished', value: unfinished === null ? null : dialect.bindName(unfinished) });
  }
  if (wakeAt !== undefined) values.push({ column: 'wake_at', value: wakeAt });
  if (openInterrupts !== undefined) values.push({ column: 'open_interrupts', value: openInterrupts });
  return values;
}

/** True if one of these values sets a mark, so that the session does not expire. */
export function setsMark(marks: readonly MarkValue[]): boolean {
  return marks.some(({ column, value }) => value !== null && !(column === 'open_interrupts' && value === 0));
}

/**
 * Returns SQL for the expiry time of a session in an UPDATE that also writes these marks: the parameter, or NULL if the session
 * has another mark, which stays. The caller passes null for the parameter if `setsMark(marks)` is true.
 */
export function expirySql(marks: readonly MarkValue[], p: { alias: string; parameter: string }): string {
  const written = marks.map(({ column }) => column);
  const others = (Object.keys(markConditions) as MarkColumn[])
    .filter((column) => !written.includes(column))
    .map((column) => markConditions[column].replace('s.', p.alias));
  return others.length === 0 ? p.parameter : `CASE WHEN ${others.join(' OR ')} THEN NULL ELSE ${p.parameter} END`;
}

/** Returns the marks of a session's row. */
export function fromMarkColumns(row: Row): SessionMarks {
  const wakeAt = row['wake_at'];
  return {
    unfinished: columnTextOrUndefined(row['unfinished']) ?? null,
    wakeAt: wakeAt === null || wakeAt === undefined ? null : Number(wakeAt),
    openInterrupts: Number(row['open_interrupts'] ?? 0),
  };
}
