import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { describeWith, startMariaDb, startPostgres, startRedis } from '../servers/index.ts';
import type { Server, ServerKind } from '../servers/index.ts';

/** An empty database for one test or suite. */
export interface Database {
  url: string;
  /** Undefined if the database is a file. */
  server?: Server | undefined;
  remove(): Promise<void>;
}

export interface Backend {
  name: string;
  kind?: ServerKind | undefined;
  open(): Promise<Database>;
}

const databaseOf = async (server: Server): Promise<Database> => ({
  ...{ url: server.url, server },
  remove: () => server.remove(),
});

/** Databases that keep acknowledged data after a crash of their server. Redis needs `appendfsync always` for this. */
export const backends: readonly Backend[] = [
  { name: 'SQLite', open: openSqlite },
  {
    ...{ name: 'Redis', kind: 'redis' },
    open: async () => databaseOf(await startRedis({ config: ['appendonly yes', 'appendfsync always'] })),
  },
  { name: 'PostgreSQL', kind: 'postgres', open: async () => databaseOf(await startPostgres()) },
  { name: 'MariaDB', kind: 'mariadb', open: async () => databaseOf(await startMariaDb()) },
];

/** Defines a suite for each backend. The suite is skipped if the server is missing. */
export function describeBackends(rows: readonly Backend[], suite: (backend: Backend) => void): void {
  for (const backend of rows) {
    if (backend.kind) describeWith(backend.kind, backend.name, () => suite(backend));
    else describe(backend.name, () => suite(backend));
  }
}

async function openSqlite(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'thole-durability-'));
  return {
    url: `sqlite:///${join(folder, 'sessions.db')}`,
    remove: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }),
  };
}
