import type { DatabaseAddress } from './parse-database-url.ts';

/** Returns the name of a database for messages: its file, or its name, host and port. Never contains user and password. */
export function displayNameOfAddress(address: DatabaseAddress): string {
  if (address.kind === 'sqlite')
    return address.path === ':memory:' ? 'The database in memory' : `The file ${address.path}`;
  const port = address.kind === 'postgres' ? 5432 : 3306;
  try {
    const url = new URL(address.url);
    const host = url.hostname || url.searchParams.get('host') || 'localhost';
    return toDisplayName({ host: decodeURIComponent(host), port: url.port || port, database: url.pathname.slice(1) });
  } catch {
    return 'The database';
  }
}

/** Returns the name of the database of a `pg` or `mysql2` pool. Other pools have a general name. */
export function displayNameOfPool(pool: unknown): string {
  try {
    const { options, config, pool: inner } = pool as { [name: string]: PoolSettings & { config?: PoolSettings } };
    const settings = options ?? config ?? inner?.config;
    const { connectionString } = settings as { connectionString?: unknown };
    if (typeof connectionString === 'string') return displayNameOfAddress({ kind: 'postgres', url: connectionString });
    return toDisplayName(settings?.connectionConfig ?? settings ?? {});
  } catch {
    return 'The database';
  }
}

interface Location {
  host?: string | undefined;
  port?: string | number | undefined;
  database?: string | undefined;
}

interface PoolSettings extends Location {
  connectionConfig?: Location | undefined;
}

function toDisplayName({ host, port, database }: Location): string {
  if (!host) return 'The database';
  const name = database ? ` "${database}"` : '';
  return `The database${name} at ${host}${port === undefined ? '' : `:${port}`}`;
}
