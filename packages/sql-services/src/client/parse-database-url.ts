import { TholeError } from '@thole/core';
import { invalidInput } from '@thole/core/kit';

/** A SQLite file, or the URL that the driver of a server accepts. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres' | 'mariadb'; readonly url: string };

const FORMS = 'sqlite:///./file.db, sqlite:////absolute/file.db, sqlite://:memory:, postgresql://… or mysql://…';

const ASYNCPG_SSL = /([?&])ssl=(?=(?:disable|allow|prefer|require|verify-ca|verify-full)(?:&|$))/;

/**
 * The option for TLS of MySQL's clients, which URLs of cloud providers contain. `mysql2` ignores it, so the connection would not be
 * encrypted.
 */
const MYSQL_SSL = /([?&])ssl[-_]?mode=(require|required|verify[-_]ca|verify[-_]full|verify[-_]identity)(?=&|$)/i;

/**
 * Parses the URL of a database. Ignores the name of a Python driver (`postgresql+asyncpg://…`). Throws `INVALID_INPUT` for an
 * invalid URL. The message does not contain the URL, because it may contain a password.
 */
export function parseDatabaseUrl(value: unknown): DatabaseAddress {
  if (typeof value !== 'string') throw invalidInput('dbUrl', 'a string', value);
  const match = /^([a-z][a-z0-9.-]*)(?:\+[a-z0-9_]+)?:\/\/(.*)$/is.exec(value.trim());
  const [, scheme = '', rest = ''] = match ?? [];
  switch (scheme.toLowerCase()) {
    case 'sqlite':
      return { kind: 'sqlite', path: parsePath(rest) };
    case 'postgres':
    case 'postgresql':
      // The option `ssl` of asyncpg is `sslmode` in `pg`.
      return { kind: 'postgres', url: checkServerUrl(`postgresql://${rest.replace(ASYNCPG_SSL, '$1sslmode=')}`) };
    case 'mysql':
    case 'mariadb':
      return { kind: 'mariadb', url: checkServerUrl(`mysql://${rest.replace(MYSQL_SSL, toMysql2Ssl)}`) };
    default:
      throw new TholeError('INVALID_INPUT', `dbUrl must be ${FORMS}, got ${describeScheme(value, scheme)}.`);
  }
}

// Like MySQL's clients: `required` encrypts and accepts any certificate, `verify_ca` also checks it, `verify_identity` also its host.
function toMysql2Ssl(_: string, start: string, mode: string): string {
  const ssl = /^require/i.test(mode)
    ? { rejectUnauthorized: false }
    : { rejectUnauthorized: true, verifyIdentity: !/ca$/i.test(mode) };
  return `${start}ssl=${encodeURIComponent(JSON.stringify(ssl))}`;
}

// Names only the scheme, because the rest of a URL may contain a password.
function describeScheme(value: string, scheme: string): string {
  if (scheme !== '') return `the scheme ${scheme}://`;
  if (/^\s*(file|sqlite3?):/i.test(value)) return 'another form of a file path. Write sqlite:/// before the path';
  return 'a text without a scheme';
}

/**
 * Throws `INVALID_INPUT` if the driver cannot parse the URL, or if a password with `/` or `#` would be read as the database. An
 * error of the driver would contain the URL.
 */
function checkServerUrl(url: string): string {
  try {
    // `pg` accepts an empty host after the user: the parameter `host` names the folder of a socket.
    const { pathname, hash, username, password } = new URL(url.replace(/^(postgresql:.*@)\//, '$1localhost/'));
    // `mysql2` decodes these parts. `pg` accepts a `%` that encodes nothing.
    if (url.startsWith('mysql:')) decodeURIComponent(username + password + pathname);
    if (!pathname.includes('@') && hash === '') return url;
  } catch {
    // The error below does not contain the URL.
  }
  throw new TholeError(
    'INVALID_INPUT',
    'dbUrl is not a valid URL: <scheme>://<user>:<password>@<host>:<port>/<database>. Encode user and password with encodeURIComponent.',
  );
}

// As in SQLAlchemy: three slashes before a relative path, four before an absolute one.
function parsePath(rest: string): string {
  if (rest === ':memory:' || rest === '/:memory:' || rest === '') return ':memory:';
  const [path = ''] = rest.split('?', 1);
  if (!path.startsWith('/') || path.length < 2 || path.includes('\0') || path !== rest) {
    const hint = path === rest ? '' : ' The URL of a SQLite file has no parameters.';
    throw new TholeError('INVALID_INPUT', `dbUrl must be ${FORMS}.${hint}`);
  }
  return decodePath(path.slice(1));
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
