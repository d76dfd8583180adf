/** The servers for tests: databases, and PgBouncer in front of PostgreSQL. */
export type ServerKind = 'redis' | 'postgres' | 'pgbouncer' | 'mariadb';

/** Programs that tests find or install: servers, and a browser. */
export type ProgramKind = ServerKind | 'chromium';

interface Package {
  /** Names of apt packages on Debian and Ubuntu that contain the program. The first one that can be installed is used. */
  apt: readonly string[];
  /** Name of the service that the package starts, if any. */
  service?: string;
}

export const packageOf: Readonly<Record<ProgramKind, Package>> = {
  redis: { apt: ['redis-server'], service: 'redis-server' },
  postgres: { apt: ['postgresql'], service: 'postgresql' },
  pgbouncer: { apt: ['pgbouncer'], service: 'pgbouncer' },
  mariadb: { apt: ['mariadb-server'], service: 'mariadb' },
  // The headless shell opens pages with a fifth less CPU time. Older releases do not have it.
  chromium: { apt: ['chromium-headless-shell', 'chromium'] },
};

/** Returns the names of the packages of a program, for messages. */
export function aptNames(kind: ProgramKind): string {
  return packageOf[kind].apt.join(' or ');
}
