import { TholeError } from '@thole/core';

/** Throws `STORE_VERSION` if another version of this package wrote the record. */
export function assertVersion(version: unknown, record: string): void {
  if (version === '1' || version === 1) return;
  throw new TholeError(
    'STORE_VERSION',
    `${record} in Redis has version ${String(version)}; this package reads version 1.`,
  );
}
