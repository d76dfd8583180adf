import type { Fence, LeaseAsk, LeaseState } from '@thole/core';
import type { Row } from '../client/sql-database.ts';
import { columnText, columnTextOrUndefined } from '../session/row-values.ts';

/** Columns of `fromLeaseRow`. */
export const leaseColumns = 'fence, invocation_id, holder, expires_at, latest_end, stop_code, stopped_by';

/** A lease in the database. Times are seconds of the database's clock. */
export interface LeaseRow {
  readonly fence: Fence;
  readonly invocationId: string;
  readonly holder: string;
  readonly process: string | undefined;
  readonly expiresAt: number;
  /** No renewal extends the lease beyond this time. */
  readonly latestExpiry: number;
  readonly stop: LeaseState['stop'];
}

export function fromLeaseRow(row: Row): LeaseRow {
  const { holder, process } = decodeHolder(columnText(row['holder']));
  const by = columnTextOrUndefined(row['stopped_by']);
  return {
    fence: columnText(row['fence']),
    invocationId: JSON.parse(columnText(row['invocation_id'])) as string,
    holder,
    process,
    expiresAt: Number(row['expires_at']),
    latestExpiry: row['latest_end'] === null ? Infinity : Number(row['latest_end']),
    stop: row['stop_code'] === null ? undefined : { by: by === undefined ? undefined : (JSON.parse(by) as string) },
  };
}

/** Returns the value of the column `holder`. */
export function encodeHolder({ holder, process }: LeaseAsk): string {
  return JSON.stringify(process === undefined ? [holder] : [holder, process]);
}

// Early versions stored only the holder, without its process.
function decodeHolder(text: string): { holder: string; process: string | undefined } {
  const decoded = JSON.parse(text) as string | [holder: string, process?: string];
  const [holder, process] = typeof decoded === 'string' ? [decoded] : decoded;
  return { holder, process };
}
