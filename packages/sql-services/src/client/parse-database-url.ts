import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';

/** What a URL names: a SQLite file, or a server whose driver takes the URL. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres' | 'mariadb'; readonly url: string };

const forms = 'sqlite:///./file.db, sqlite:////absolute/file.db, sqlite://:memory:, postgresql://… or mysql://…';

const ASYNCPG_SSL = /([?&])ssl=(?=(?:disable|allow|prefer|require|verify-ca|verify-full)(?:&|$))/;

/**
 * Reads a database's URL, also one that names a driver of Python (`postgresql+asyncpg://…`), which is left out. Throws
 * `INVALID_INPUT` for another one, without repeating it: it may hold a password.
 */
export function parseDatabaseUrl(value: unknown): DatabaseAddress {
  if (typeof value !== 'string') throw invalidInput('dbUrl', 'a string', value);
  const found = /^([a-z][a-z0-9.-]*)(?:\+[a-z0-9_]+)?:\/\/(.*)$/is.exec(value.trim());
  const [, scheme = '', rest = ''] = found ?? [];
  switch (scheme.toLowerCase()) {
    case 'sqlite':
      return { kind: 'sqlite', path: pathOf(rest) };
    case 'postgres':
    case 'postgresql':
      // What asyncpg calls ssl is sslmode here.
      return { kind: 'postgres', url: `postgresql://${rest.replace(ASYNCPG_SSL, '$1sslmode=')}` };
    case 'mysql':
    case 'mariadb':
      return { kind: 'mariadb', url: `mysql://${rest}` };
    default:
      throw new TholeError('INVALID_INPUT', `dbUrl must be ${forms}.`);
  }
}

// As SQLAlchemy has it: three slashes and a relative path, four and an absolute one.
function pathOf(rest: string): string {
  if (rest === ':memory:' || rest === '/:memory:' || rest === '') return ':memory:';
  const [path = ''] = rest.split('?', 1);
  if (!path.startsWith('/') || path.length < 2 || path.includes('\0') || path !== rest) {
    throw new TholeError('INVALID_INPUT', `dbUrl must be ${forms}; a SQLite file takes no parameters.`);
  }
  return decodeURIComponentOr(path.slice(1));
}

function decodeURIComponentOr(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
