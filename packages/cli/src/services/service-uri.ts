import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usageError } from '../options/usage-error.ts';

/** A URI that names a service: its scheme, in one of its spellings, and all of it. */
export interface ServiceUri {
  readonly scheme: string;
  /** What follows `://`. */
  readonly rest: string;
}

const spellings: { readonly [scheme: string]: string } = {
  postgres: 'postgresql',
  mariadb: 'mysql',
};

/**
 * Reads a URI. A driver after a plus (`postgresql+asyncpg://`) is passed over, as it names one of another language. Errors name the
 * option and never repeat the URI: it may hold a password.
 */
export function readServiceUri(option: string, text: string): ServiceUri {
  const [, written = '', rest = ''] = /^([a-z][a-z\d.-]*)(?:\+[a-z\d]+)?:\/\/(.*)$/is.exec(text.trim()) ?? [];
  if (written === '') throw usageError(`${option} must be a URI such as memory:// or sqlite:///./sessions.db.`);
  const lower = written.toLowerCase();
  const scheme = Object.hasOwn(spellings, lower) ? spellings[lower]! : lower;
  // With two slashes it would name a host.
  if (scheme === 'sqlite' && !/^(?:|:memory:|\/.+)$/s.test(rest))
    throw usageError(`${option} must name a file, as sqlite:///./file.db and sqlite:////absolute/file.db do.`);
  return { scheme, rest };
}

/** The URL of a SQLite file for `@thole/sql-services`, with a path that begins at `cwd` made absolute. */
export function sqliteUrl({ rest }: ServiceUri, cwd: string): string {
  if (!rest.startsWith('/') || rest === '/:memory:') return `sqlite://${rest}`;
  return urlOfSqliteFile(resolve(cwd, decode(rest.slice(1))));
}

/** The URL of a SQLite file at an absolute path. */
export function urlOfSqliteFile(path: string): string {
  return `sqlite:///${path.split(/[\\/]/).map(encodeURIComponent).join('/')}`;
}

/** The folder that a `file://` URI names: absolute after three slashes, else beginning at `cwd`. */
export function folderOf({ rest }: ServiceUri, option: string, cwd: string): string {
  if (rest === '') throw usageError(`${option} must name a folder, as file:///var/lib/thole or file://./artifacts do.`);
  return rest.startsWith('/') ? pathOf(rest, option) : resolve(cwd, decode(rest));
}

function pathOf(rest: string, option: string): string {
  try {
    return fileURLToPath(`file://${rest}`);
  } catch {
    throw usageError(`${option} must name a folder of this machine.`);
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
