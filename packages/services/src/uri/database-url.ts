import type { ServiceUri } from './service-uri.ts';
import { sqliteUrl } from './service-uri.ts';

/**
 * Returns the URL of a `sqlite`, `postgresql` or `mysql` URI for `@thole/sql-services`. `cwd` is the base folder of
 * relative paths.
 */
export function databaseUrl(uri: ServiceUri, cwd: string): string {
  return uri.scheme === 'sqlite' ? sqliteUrl(uri, cwd) : `${uri.scheme}://${uri.rest}`;
}
