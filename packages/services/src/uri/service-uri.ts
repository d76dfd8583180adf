import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalidUri } from './invalid-uri.ts';

/** A parsed URI of a service. */
export interface ServiceUri {
  /** The scheme in lower case. An alias is replaced, for example `postgres` by `postgresql`. */
  readonly scheme: string;
  /** The part after `://`. */
  readonly rest: string;
}

const schemeAliases: { readonly [scheme: string]: string } = {
  postgres: 'postgresql',
  mariadb: 'mysql',
};

/**
 * Parses a URI. A driver after a plus (`postgresql+asyncpg://`) is ignored, because it is a Python package. Throws
 * `INVALID_INPUT` with a sentence that contains `uriName` and the example, and never the URI: it may contain a password.
 */
export function readServiceUri(uriName: string, text: string, example = 'sqlite:///./sessions.db'): ServiceUri {
  const [, written = '', rest = ''] = /^([a-z][a-z\d.-]*)(?:\+[a-z\d]+)?:\/\/(.*)$/is.exec(text.trim()) ?? [];
  if (written === '') throw invalidUri(`${uriName} must be a URI such as memory:// or ${example}.`);
  const lower = written.toLowerCase();
  const scheme = Object.hasOwn(schemeAliases, lower) ? schemeAliases[lower]! : lower;
  // With two slashes, the text after them would be a host name.
  if (scheme === 'sqlite' && !/^(?:|:memory:|\/.+)$/s.test(rest))
    throw invalidUri(`${uriName} must name a file: sqlite:///./file.db or sqlite:////absolute/file.db.`);
  if (scheme === 'sqlite' && rest.includes('?'))
    throw invalidUri(`${uriName} must have no parameters. Write ? in the name of a file as %3F.`);
  return { scheme, rest };
}

/** Returns the URL of a SQLite file for `@thole/sql-services`, with an absolute path. */
export function sqliteUrl({ rest }: ServiceUri, cwd: string): string {
  if (!rest.startsWith('/') || rest === '/:memory:') return `sqlite://${rest}`;
  return urlOfSqliteFile(resolve(cwd, decode(rest.slice(1))));
}

/** Returns the URL of a SQLite file at an absolute path. */
export function urlOfSqliteFile(path: string): string {
  return `sqlite:///${path.split(sep).map(encodeURIComponent).join('/')}`;
}

/** Returns the folder of a `file://` URI. The path is absolute after three slashes, otherwise relative to `cwd`. */
export function folderOf({ rest }: ServiceUri, uriName: string, cwd: string): string {
  if (rest === '') throw invalidUri(`${uriName} must name a folder: file:///var/lib/thole or file://./artifacts.`);
  return rest.startsWith('/') ? pathOf(rest, uriName) : resolve(cwd, decode(rest));
}

/**
 * Returns the id or the resource name (`projects/…/locations/…/<collection>/…`) that a URI names. Throws `INVALID_INPUT`
 * for other names.
 */
export function resourceOf({ scheme, rest }: ServiceUri, uriName: string, collection: string): string {
  const name = rest.replace(/\/+$/, '');
  if (
    !/^[\w-]+$/.test(name) &&
    !new RegExp(`^projects/[\\w.:-]*\\w/locations/[a-z0-9-]+/${collection}/[\\w-]+$`).test(name)
  )
    throw invalidUri(
      `${uriName} must be ${scheme}:// and an id, or ${scheme}://projects/<project>/locations/<location>/${collection}/<id>.`,
    );
  return name;
}

function pathOf(rest: string, uriName: string): string {
  try {
    return fileURLToPath(`file://${rest}`);
  } catch {
    throw invalidUri(`${uriName} must name a folder on this machine.`);
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
