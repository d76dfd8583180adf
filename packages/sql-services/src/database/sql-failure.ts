import { TholeError } from '@thole/core';

/**
 * What went wrong, in words that all databases share. `conflict`: nothing happened, and the same may succeed at once.
 * `duplicate`: a unique key is taken. `connection`: the answer never came. `too-large`: over a limit of the server.
 * `no-table`: the tables are not there. `refused`: everything else.
 */
export type FailureKind = 'conflict' | 'duplicate' | 'connection' | 'too-large' | 'no-table' | 'refused';

/** A call to the database that failed, before it is said in an error of ours. */
export interface SqlFailure extends Error {
  readonly kind: FailureKind;
  /** Whether it may have happened nevertheless. */
  readonly isOpen: boolean;
}

const brand = Symbol.for('thole.sql-failure');

/** Makes one of what a driver threw. */
export function sqlFailure(kind: FailureKind, cause: unknown, isOpen = false): SqlFailure {
  return Object.assign(new Error(`The database: ${kind}.`, { cause }), { [brand]: true, kind, isOpen });
}

/** Whether a thrown value is one, of this kind if one is given. */
export function isSqlFailure(error: unknown, kind?: FailureKind): error is SqlFailure {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return kind === undefined || (error as unknown as SqlFailure).kind === kind;
}

/** The error for the caller; what is no failure of the database stays as it is. */
export function toStoreError(error: unknown): unknown {
  if (!isSqlFailure(error)) return error;
  const { cause } = error;
  if (error.isOpen) {
    const sentence = 'The database did not answer; what was asked for may have happened.';
    return new TholeError('STORE_OUTCOME_UNKNOWN', sentence, { cause });
  }
  switch (error.kind) {
    case 'too-large':
      return new TholeError('VALUE_TOO_LARGE', 'The database refused a value as too large for it.', { cause });
    case 'no-table':
      return new TholeError('STORE_VERSION', 'The tables are not in the database: call migrate().', { cause });
    case 'conflict':
      return new TholeError('STORE_UNAVAILABLE', 'The database was busy until the time limit; nothing was written.', {
        cause,
      });
    case 'connection':
      return new TholeError('STORE_UNAVAILABLE', 'The database did not answer.', { cause });
    default:
      return new TholeError('STORE_UNAVAILABLE', `The database refused the call${codeOf(cause)}.`, { cause });
  }
}

// The driver's own message may quote values, so only its code is repeated.
function codeOf(cause: unknown): string {
  const { code, errcode } = (cause ?? {}) as { code?: unknown; errcode?: unknown };
  const told = typeof errcode === 'number' ? `${String(code)} ${errcode}` : code;
  return typeof told === 'string' && /^[\w ]{1,60}$/.test(told) ? ` (${told})` : '';
}
