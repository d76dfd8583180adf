/** The servers for tests: databases, and PgBouncer in front of PostgreSQL. */
export type ServerKind = 'redis' | 'postgres' | 'pgbouncer' | 'mariadb';

/** Programs that tests find or install: servers, and a browser. */
export type ProgramKind = ServerKind | 'chromium';

interface Package {
  /** Name of the apt package on Debian and Ubuntu. */
  apt: string;
  /** Name of the service that the package starts, if any. */
  service?: string;
}

export const packageOf: Readonly<Record<ProgramKind, Package>> = {
  redis: { apt: 'redis-server', service: 'redis-server' },
  postgres: { apt: 'postgresql', service: 'postgresql' },
  pgbouncer: { apt: 'pgbouncer', service: 'pgbouncer' },
  mariadb: { apt: 'mariadb-server', service: 'mariadb' },
  chromium: { apt: 'chromium' },
};
