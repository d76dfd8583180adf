/** The database servers that tests run on. */
export type ServerKind = 'redis' | 'postgres' | 'mariadb';

export const serverKinds: readonly ServerKind[] = ['redis', 'postgres', 'mariadb'];

interface Package {
  /** As apt-get calls it on Debian and Ubuntu. */
  apt: string;
  /** What the package starts by itself. */
  service: string;
}

export const packageOf: Readonly<Record<ServerKind, Package>> = {
  redis: { apt: 'redis-server', service: 'redis-server' },
  postgres: { apt: 'postgresql', service: 'postgresql' },
  mariadb: { apt: 'mariadb-server', service: 'mariadb' },
};
