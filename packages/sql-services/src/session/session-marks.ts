import type { SessionMarks } from '@thole/core';
import type { Row, SqlValue } from '../client/sql-database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { columnTextOrUndefined } from './row-values.ts';

/** A mark to write: its column and its value. */
export interface MarkValue {
  readonly column: string;
  readonly value: SqlValue;
}

/** Returns the marks that are given. The order of the columns is always the same. */
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

/** Returns the marks of a session's row. */
export function fromMarkColumns(row: Row): SessionMarks {
  const wakeAt = row['wake_at'];
  return {
    unfinished: columnTextOrUndefined(row['unfinished']) ?? null,
    wakeAt: wakeAt === null || wakeAt === undefined ? null : Number(wakeAt),
    openInterrupts: Number(row['open_interrupts'] ?? 0),
  };
}
