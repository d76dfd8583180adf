import { TholeError } from '@thole/core';
import { isSqlFailure } from './sql-failure.ts';

/**
 * Returns the error for the caller. Its message names the database and the driver's reason. Its cause is the driver's error, without
 * stored values. Returns any error that is not a `SqlFailure` unchanged.
 */
export function mapSqlError(error: unknown, displayName = 'The database'): unknown {
  if (!isSqlFailure(error)) return error;
  const driverError = (error.cause ?? {}) as DriverError;
  const isAnswer = isServerAnswer(driverError);
  const isSafe = ['connection', 'no-table'].includes(error.kind) || !isAnswer || hasSafeMessage(driverError);
  const reason = reasonOf(driverError, isSafe);
  const cause = isSafe ? error.cause : withoutValues(driverError);
  if (isColumnMissing(driverError)) {
    const hint = 'If the table belongs to other software, use another tablePrefix or another database.';
    const message = `${displayName} has a table with other columns${reason}. ${hint}`;
    return new TholeError('STORE_VERSION', message, { cause });
  }
  if (error.isOutcomeUnknown) {
    const outcome = isAnswer ? 'ended the call' : 'did not answer';
    const message = `${displayName} ${outcome}${reason}. The write may have been done.`;
    return new TholeError('STORE_OUTCOME_UNKNOWN', message, { cause });
  }
  switch (error.kind) {
    case 'too-large':
      return new TholeError('VALUE_TOO_LARGE', `${displayName} refused a value as too large${reason}.`, { cause });
    case 'no-table':
      return new TholeError('STORE_VERSION', `${displayName} does not have the tables. Call migrate().`, { cause });
    case 'conflict': {
      const message = `${displayName} was locked until the time limit. Nothing was written.`;
      return new TholeError('STORE_UNAVAILABLE', message, { cause });
    }
    case 'connection': {
      if (NO_PASSWORD.test(String(driverError.message))) {
        const message = `${displayName} requires a password. Add it to the URL, or set PGPASSWORD.`;
        return new TholeError('STORE_UNAVAILABLE', message, { cause, retryable: false });
      }
      if (isTlsRefused(driverError)) {
        const hint = 'Check the TLS options of the URL or the pool, and the certificate of the server.';
        const message = `${displayName} cannot be connected with TLS${reason}. ${hint}`;
        return new TholeError('STORE_UNAVAILABLE', message, { cause, retryable: false });
      }
      const message = isAnswer
        ? `${displayName} refused the call${reason}.`
        : `${displayName} did not answer${reason}. Check its address, and that it is running.`;
      return new TholeError('STORE_UNAVAILABLE', message, { cause });
    }
    default: {
      const isRightMissing = isPermissionDenied(driverError);
      const hint = isFileNotOpened(driverError) ? ` ${FILE_HINT}` : isRightMissing ? ` ${RIGHT_HINT}` : '';
      const message = `${displayName} refused the call${reason}.${hint}`;
      const isRetryable = !isRightMissing && !isAccessDenied(driverError);
      return new TholeError('STORE_UNAVAILABLE', message, { cause, ...(!isRetryable && { retryable: false }) });
    }
  }
}

interface DriverError {
  code?: unknown;
  errcode?: unknown;
  errno?: unknown;
  message?: unknown;
  errors?: readonly unknown[];
}

/** True if the error is an answer of the database. Errors of clients and of the operating system have other codes. */
function isServerAnswer({ code, errcode, errno }: DriverError): boolean {
  if (typeof errcode === 'number' || (typeof errno === 'number' && errno >= 1000)) return true;
  return (
    typeof code === 'string' &&
    (code.startsWith('SQLITE_') || (/^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)))
  );
}

/**
 * Codes of PostgreSQL whose messages contain names of files, hosts, users, databases, tables and columns, but no values. Values are
 * parameters, so they are not in messages about a statement (42).
 */
const SAFE_CODES = /^(08|25|28|3D|3F|42|53|57)...$/;
/** Codes of MariaDB and MySQL whose messages contain no values either. */
const SAFE_NUMBERS: ReadonlySet<unknown> = new Set([
  // Connections, users, databases.
  ...[1040, 1044, 1045, 1046, 1049, 1129, 1130, 1203, 1226, 1251, 1698],
  // Full disk or table, missing privileges and columns, read-only server.
  ...[1021, 1054, 1072, 1114, 1142, 1143, 1227, 1290, 1792, 1836],
]);
/**
 * Codes of SQLite whose messages contain no values either: read-only, I/O error, corrupt, full, cannot open, not a database.
 */
const SAFE_SQLITE_CODES: ReadonlySet<number> = new Set([8, 10, 11, 13, 14, 26]);
/** Message of the driver of PostgreSQL if the server asks for a password and there is none. */
const NO_PASSWORD = /client password must be a (?:non-empty )?string$/;
/** Codes of PostgreSQL for a wrong user, password or database. */
const ACCESS_DENIED_CODES = /^(28...|3D000)$/;
/** Codes of MariaDB and MySQL for a wrong user, password or database. */
const ACCESS_DENIED_NUMBERS: ReadonlySet<unknown> = new Set([1044, 1045, 1049, 1251, 1698]);
/** Codes of MariaDB and MySQL for a right that the user does not have for a table, a column or an operation. */
const PERMISSION_DENIED_NUMBERS: ReadonlySet<unknown> = new Set([1142, 1143, 1227]);
const RIGHT_HINT =
  'Grant this right to the user of the connection. Only migrate() creates and changes tables, and another user may call it.';
/** Messages of drivers if the server does not support TLS, or the options for TLS are invalid. */
const NO_TLS = /does not support (?:SSL connections|secure connection)|^SSL profile must be/;
/** Messages of Node.js for a certificate that is not accepted. The code of `mysql2` is the same for all errors of TLS. */
const CERTIFICATE_MESSAGES = /certificate|altnames/;
/** Codes of Node.js for a certificate that is not accepted. */
const CERTIFICATE_CODES = /CERT|^UNABLE_TO_(?:GET|VERIFY)_/;
const SQLITE_CANTOPEN = 14;
const FILE_HINT =
  'Check that the path is a file, and that this process may write to its folder: SQLite creates files next to it, even to read.';
/** Messages of SQLite that name a missing column. */
const NO_SQLITE_COLUMN = /^(no such column: |table \S+ has no column named )/;

/** True if a table does not have a column of this package. */
function isColumnMissing({ code, errno, message }: DriverError): boolean {
  return code === '42703' || errno === 1054 || errno === 1072 || NO_SQLITE_COLUMN.test(String(message));
}

/** True if another call fails too, until the user, the password or the name of the database is corrected. */
function isAccessDenied({ code, errno }: DriverError): boolean {
  return (typeof code === 'string' && ACCESS_DENIED_CODES.test(code)) || ACCESS_DENIED_NUMBERS.has(errno);
}

/** True if the user does not have a right that the call needs. */
function isPermissionDenied({ code, errno }: DriverError): boolean {
  return code === '42501' || PERMISSION_DENIED_NUMBERS.has(errno);
}

/** True if the server does not support TLS, or its certificate is not accepted. */
function isTlsRefused({ code, message }: DriverError): boolean {
  const text = String(message);
  if (code === 'HANDSHAKE_SSL_ERROR' && CERTIFICATE_MESSAGES.test(text)) return true;
  return NO_TLS.test(text) || (typeof code === 'string' && CERTIFICATE_CODES.test(code));
}

function isFileNotOpened({ code, errcode }: DriverError): boolean {
  return code === 'SQLITE_CANTOPEN' || (typeof errcode === 'number' && (errcode & 0xff) === SQLITE_CANTOPEN);
}

/** True if the message of an answer contains no stored values. */
function hasSafeMessage(error: DriverError): boolean {
  const { code, errcode, errno } = error;
  return (
    (typeof code === 'string' && SAFE_CODES.test(code)) ||
    SAFE_NUMBERS.has(errno) ||
    isColumnMissing(error) ||
    (typeof errcode === 'number' && SAFE_SQLITE_CODES.has(errcode & 0xff))
  );
}

/** Members of errors that contain codes and names only. Others, such as PostgreSQL's `detail`, may contain a whole row. */
const SAFE_MEMBERS = [
  'code',
  'errno',
  'errcode',
  'errstr',
  'sqlState',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
];

/** Returns a copy of the driver's error without stored values, because causes are logged. */
function withoutValues(error: DriverError): Error {
  const { name, stack } = error instanceof Error ? error : new Error();
  const copy = new Error('The message of the driver is not shown, because it may contain stored values.');
  const frames = stack?.match(/^ +at [^\n]*$/gm) ?? [];
  copy.name = name;
  copy.stack = [`${name}: ${copy.message}`, ...frames].join('\n');
  const members = Object.entries(error).filter(([member]) => SAFE_MEMBERS.includes(member));
  return Object.assign(copy, Object.fromEntries(members));
}

// Messages about statements may contain values. Only their codes are repeated.
function reasonOf({ code, errcode, message, errors }: DriverError, isSafe: boolean): string {
  const fullCode = typeof errcode === 'number' ? `${String(code)} ${errcode}` : code;
  const name = typeof fullCode === 'string' && /^[\w ]{1,60}$/.test(fullCode) ? fullCode : undefined;
  // The driver tried several addresses. The first error is enough.
  const text = message === '' && errors ? (errors[0] as DriverError | undefined)?.message : message;
  if (!isSafe || typeof text !== 'string' || text === '') return name === undefined ? '' : ` (${name})`;
  // SQLite guesses that a quoted name should be a text.
  const reason = text.replace(/\.$| - should this be a string literal in single-quotes\?$/, '');
  return name === undefined || reason.includes(name) ? `: ${reason}` : `: ${reason} (${name})`;
}
