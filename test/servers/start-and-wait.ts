// start-and-wait.ts <kind> [PostgreSQL URL for pgbouncer]: starts a server, prints its process id and folder, and runs until it is
// killed.
import { startMariaDb } from './start-maria-db.ts';
import { startPgBouncer } from './start-pg-bouncer.ts';
import { startPostgres } from './start-postgres.ts';
import { startRedis } from './start-redis.ts';

const starts: Record<string, (() => Promise<{ pid: number | undefined; folder: string }>) | undefined> = {
  redis: startRedis,
  postgres: startPostgres,
  pgbouncer: () => startPgBouncer({ postgresUrl: process.argv[3] ?? '' }),
  mariadb: startMariaDb,
};
const { pid, folder } = await starts[process.argv[2] ?? '']!();
process.stdout.write(`${JSON.stringify({ pid, folder })}\n`);
setInterval(() => {}, 60_000);
