import { TholeError } from '@thole/core';

/** Returns the `seq` in a cursor of a `MemoryStore`; 0 without a cursor. Throws `INVALID_INPUT` for any other text. */
export function seqOfCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new TholeError('INVALID_INPUT', 'cursor must be the `next` of the previous page.');
}
