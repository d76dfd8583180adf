import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { canInstall } from './find-or-install.ts';
import './provided.ts';
import type { ServerKind } from './server-kind.ts';
import { ServerMissing } from './server-missing.ts';
import type { Server } from './server.ts';
import { startMariaDb } from './start-maria-db.ts';
import { startPgBouncer } from './start-pg-bouncer.ts';
import { startPostgres } from './start-postgres.ts';
import { skippedFile } from './skip-reporter.ts';
import { startRedis } from './start-redis.ts';

/**
 * Starts one server of each kind for the whole run. If a server is missing and cannot be installed, its suites are skipped, and
 * `SkipReporter` counts them. If the installation fails, the run fails.
 */
export default async function startServers(project: TestProject): Promise<() => Promise<void>> {
  const [redis, postgres, mariadb] = await Promise.all([
    startIfInstalled(startRedis),
    startIfInstalled(startPostgres),
    startIfInstalled(startMariaDb),
  ]);
  const pgbouncer = postgres && (await startIfInstalled(() => startPgBouncer({ postgresUrl: postgres.url })));
  const started: { [Kind in ServerKind]: Server | undefined } = { redis, postgres, pgbouncer, mariadb };
  const urls = Object.fromEntries(
    Object.entries(started).flatMap(([kind, server]) => (server ? [[kind, server.url]] : [])),
  );
  const skipped = skippedFile();
  rmSync(skipped, { force: true });
  project.provide('servers', { ...urls, skipped });
  return async () => {
    await Promise.all(Object.values(started).map(async (server) => server?.remove()));
    rmSync(skipped, { force: true });
  };
}

async function startIfInstalled(start: () => Promise<Server>): Promise<Server | undefined> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof ServerMissing) || canInstall()) throw error;
    console.warn(`servers: ${error.message}`);
    return undefined;
  }
}
