/**
 * The kinds of database errors. `conflict`: nothing was done, a retry may succeed. `duplicate`: a unique key is taken.
 * `connection`: no answer arrived. `too-large`: a value exceeds a limit of the server. `no-table`: a table does not exist.
 * `read-only`: the connection allows no writes. `busy`: the server opens no connection now. `refused`: any other error.
 */
export type FailureKind =
  | 'conflict'
  | 'duplicate'
  | 'connection'
  | 'too-large'
  | 'no-table'
  | 'read-only'
  | 'busy'
  | 'refused';

/** A failed call to the database. `mapSqlError` converts it to a `TholeError`. */
export interface SqlFailure extends Error {
  readonly kind: FailureKind;
  /** True if the call may have taken effect. */
  readonly isOutcomeUnknown: boolean;
}

const brand = Symbol.for('thole.sql-failure');

/** Creates a failure from the error of a driver. */
export function sqlFailure(kind: FailureKind, cause: unknown, isOutcomeUnknown = false): SqlFailure {
  const error = new Error(`The database call failed (${kind}).`, { cause });
  return Object.assign(error, { [brand]: true, kind, isOutcomeUnknown });
}

/** Returns the failure of a call after `close()`. */
export function databaseClosed(): SqlFailure {
  return sqlFailure('refused', new Error('The database was closed.'));
}

/** True if the error is a `SqlFailure`, of this kind if one is given. */
export function isSqlFailure(error: unknown, kind?: FailureKind): error is SqlFailure {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return kind === undefined || (error as unknown as SqlFailure).kind === kind;
}
