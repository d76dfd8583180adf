import { invalidInput, TholeError } from '@thole/core';

/** What a URL names: a SQLite file, or a server whose driver takes the URL. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres' | 'mariadb'; readonly url: string };

const forms = 'sqlite:///./file.db, sqlite:////absolute/file.db, sqlite://:memory:, postgresql://… or mysql://…';

/** Reads a database's URL. `INVALID_INPUT` for another one, without repeating it: it may hold a password. */
export function parseDatabaseUrl(value: unknown): DatabaseAddress {
  if (typeof value !== 'string') throw invalidInput('dbUrl', 'a string', value);
  const found = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(value);
  const [, scheme = '', rest = ''] = found ?? [];
  switch (scheme.toLowerCase()) {
    case 'sqlite':
      return { kind: 'sqlite', path: pathOf(rest) };
    case 'postgres':
    case 'postgresql':
      return { kind: 'postgres', url: `postgresql://${rest}` };
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
