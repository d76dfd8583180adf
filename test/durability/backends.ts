import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { createDatabase } from '../../packages/sql-services/test/support/create-database.ts';
import { describeWith, startMariaDb, startPostgres, startRedis } from '../servers/index.ts';
import type { Server, ServerKind } from '../servers/index.ts';

/** An empty database for one test or suite. */
export interface Database {
  url: string;
  remove(): Promise<void>;
}

export interface Backend {
  name: string;
  kind?: ServerKind | undefined;
  /** Opens an empty database. Databases of PostgreSQL and MariaDB are on the shared server. */
  open(): Promise<Database>;
  /** Starts a separate server, for tests that stop it. Undefined if the database is a file. */
  start?: (() => Promise<Server>) | undefined;
}

const startDurableRedis = () => startRedis({ config: ['appendonly yes', 'appendfsync always'] });

/** Databases that keep acknowledged data after a crash of their server. Redis needs `appendfsync always` for this. */
export const backends: readonly Backend[] = [
  { name: 'SQLite', open: openSqlite },
  { name: 'Redis', kind: 'redis', open: startDurableRedis, start: startDurableRedis },
  {
    ...{ name: 'PostgreSQL', kind: 'postgres', start: startPostgres },
    open: () => createDatabase('postgres', inject('servers').postgres!),
  },
  {
    ...{ name: 'MariaDB', kind: 'mariadb', start: startMariaDb },
    open: () => createDatabase('mariadb', inject('servers').mariadb!),
  },
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
