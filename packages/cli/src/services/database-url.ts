import { loadDriver } from './load-driver.ts';
import type { ServiceUri } from './service-uri.ts';
import { sqliteUrl } from './service-uri.ts';

const drivers: { readonly [scheme: string]: () => Promise<unknown> } = {
  postgresql: () => loadDriver('pg', () => import('pg')),
  mysql: () => loadDriver('mysql2', () => import('mysql2')),
};

/**
 * Loads the database's driver and returns the URL for `@thole/sql-services`. Throws `DRIVER_MISSING` if it is not
 * installed.
 */
export async function databaseUrl(uri: ServiceUri, cwd: string): Promise<string> {
  await drivers[uri.scheme]?.();
  return uri.scheme === 'sqlite' ? sqliteUrl(uri, cwd) : `${uri.scheme}://${uri.rest}`;
}
