/** The servers that tests run on: databases, and PgBouncer, which stands before PostgreSQL. */
export type ServerKind = 'redis' | 'postgres' | 'pgbouncer' | 'mariadb';

/** Programs that tests find or install: servers, and a browser. */
export type ProgramKind = ServerKind | 'chromium';

interface Package {
  /** As apt-get calls it on Debian and Ubuntu. */
  apt: string;
  /** What the package starts by itself, if anything. */
  service?: string;
}

export const packageOf: Readonly<Record<ProgramKind, Package>> = {
  redis: { apt: 'redis-server', service: 'redis-server' },
  postgres: { apt: 'postgresql', service: 'postgresql' },
  pgbouncer: { apt: 'pgbouncer', service: 'pgbouncer' },
  mariadb: { apt: 'mariadb-server', service: 'mariadb' },
  chromium: { apt: 'chromium' },
};
