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
  readonly isOutcomeUnknown: boolean;
}

const brand = Symbol.for('thole.sql-failure');

/** Makes one of what a driver threw. */
export function sqlFailure(kind: FailureKind, cause: unknown, isOutcomeUnknown = false): SqlFailure {
  return Object.assign(new Error(`The database: ${kind}.`, { cause }), { [brand]: true, kind, isOutcomeUnknown });
}

/** Whether a thrown value is one, of this kind if one is given. */
export function isSqlFailure(error: unknown, kind?: FailureKind): error is SqlFailure {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return kind === undefined || (error as unknown as SqlFailure).kind === kind;
}

/**
 * Returns the error for the caller, which names the database and the driver's reason; its cause is the driver's error. What is not a
 * failure of the database stays as it is.
 */
export function mapSqlError(error: unknown, place = 'The database'): unknown {
  if (!isSqlFailure(error)) return error;
  const { cause } = error;
  const isAnswer = isAnswered(cause);
  const reason = reasonOf(cause, error.kind === 'connection' || !isAnswer);
  if (error.isOutcomeUnknown) {
    const what = isAnswer ? 'ended the call' : 'did not answer';
    const sentence = `${place} ${what}${reason}. What was asked for may have happened.`;
    return new TholeError('STORE_OUTCOME_UNKNOWN', sentence, { cause });
  }
  switch (error.kind) {
    case 'too-large':
      return new TholeError('VALUE_TOO_LARGE', `${place} refused a value as too large for it${reason}.`, { cause });
    case 'no-table':
      return new TholeError('STORE_VERSION', `${place} does not have the tables: call migrate().`, { cause });
    case 'conflict': {
      const sentence = `${place} was busy until the time limit; nothing was written.`;
      return new TholeError('STORE_UNAVAILABLE', sentence, { cause });
    }
    case 'connection': {
      const what = isAnswer ? 'refused the call' : 'did not answer';
      return new TholeError('STORE_UNAVAILABLE', `${place} ${what}${reason}.`, { cause });
    }
    default:
      return new TholeError('STORE_UNAVAILABLE', `${place} refused the call${reason}.`, { cause });
  }
}

interface DriverError {
  code?: unknown;
  errcode?: unknown;
  errno?: unknown;
  message?: unknown;
  errors?: readonly unknown[];
}

/** True if the database itself answered with this error: the client and the system have codes of another kind. */
function isAnswered(cause: unknown): boolean {
  const { code, errcode, errno } = (cause ?? {}) as DriverError;
  if (typeof errcode === 'number' || (typeof errno === 'number' && errno >= 1000)) return true;
  return (
    typeof code === 'string' &&
    (code.startsWith('SQLITE_') || (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)))
  );
}

/** Codes of what went wrong before or besides a statement: their sentences name files, hosts, users and databases, no values. */
const TELLING = /^(08|28|3D|53|57)...$/;
const TELLING_NUMBERS: ReadonlySet<unknown> = new Set([1040, 1044, 1045, 1049, 1129, 1130, 1203, 1226, 1251, 1698]);
/** Of SQLite: read-only, I/O, corrupt, full, cannot be opened, no database. */
const TELLING_FILES: ReadonlySet<number> = new Set([8, 10, 11, 13, 14, 26]);

// Sentences about statements may quote values, so only their codes are repeated.
function reasonOf(cause: unknown, isOfConnection: boolean): string {
  const { code, errcode, errno, message, errors } = (cause ?? {}) as DriverError;
  const told = typeof errcode === 'number' ? `${String(code)} ${errcode}` : code;
  const name = typeof told === 'string' && /^[\w ]{1,60}$/.test(told) ? told : undefined;
  const isTelling =
    isOfConnection ||
    (typeof code === 'string' && TELLING.test(code)) ||
    TELLING_NUMBERS.has(errno) ||
    (typeof errcode === 'number' && TELLING_FILES.has(errcode & 0xff));
  // Of several addresses that were tried, the first tells enough.
  const sentence = message === '' && errors ? (errors[0] as DriverError | undefined)?.message : message;
  if (!isTelling || typeof sentence !== 'string' || sentence === '') return name === undefined ? '' : ` (${name})`;
  const whole = sentence.replace(/\.$/, '');
  return name === undefined || whole.includes(name) ? `: ${whole}` : `: ${whole} (${name})`;
}
