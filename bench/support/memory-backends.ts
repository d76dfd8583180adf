import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemoryService, Runtime } from '@thole/core';
import { systemRuntime } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { RedisMemoryService } from '@thole/redis-services';
import { DatabaseMemoryService } from '@thole/sql-services';
import { Redis } from 'ioredis';
import type { Server } from '../../test/servers/server.ts';
import { ServerMissing } from '../../test/servers/server-missing.ts';
import { startMariaDb } from '../../test/servers/start-maria-db.ts';
import { startPostgres } from '../../test/servers/start-postgres.ts';
import { startRedis } from '../../test/servers/start-redis.ts';

/** A memory service on one of the backends, with a clock that can be set. */
export interface MemoryBackend {
  readonly name: string;
  readonly memory: MemoryService;
  /** Sets the time of the following calls, in seconds since the epoch. Undefined sets the system's time. */
  readonly setTime: (now: number | undefined) => void;
  readonly close: () => Promise<void>;
}

export const BACKENDS = ['memory', 'SQLite', 'Redis', 'PostgreSQL', 'MariaDB'] as const;
export type BackendName = (typeof BACKENDS)[number];

/**
 * Opens an empty memory on a backend. Returns undefined, with a line on the console, if its server is not installed.
 */
export async function openBackend(name: BackendName): Promise<MemoryBackend | undefined> {
  let now: number | undefined;
  const system = systemRuntime();
  const runtime: Runtime = { ...system, now: () => now ?? system.now() };
  try {
    const { memory, close } = await openers[name](runtime);
    return { name, memory, close, setTime: (time) => (now = time) };
  } catch (error) {
    if (!(error instanceof ServerMissing)) throw error;
    console.log(`${name} is not measured: ${error.message}`);
    return undefined;
  }
}

type Opened = Pick<MemoryBackend, 'memory' | 'close'>;

const openers: { readonly [name in BackendName]: (runtime: Runtime) => Promise<Opened> } = {
  memory: async (runtime) => ({ memory: new InMemoryMemoryService({ runtime }), close: async () => {} }),
  SQLite: async (runtime) => {
    const folder = mkdtempSync(join(tmpdir(), 'memory-bench-'));
    const memory = new DatabaseMemoryService({ dbUrl: `sqlite:///${join(folder, 'memory.db')}`, runtime });
    const close = async (): Promise<void> => {
      await memory.close();
      rmSync(folder, { recursive: true });
    };
    return { memory, close };
  },
  Redis: async (runtime) => {
    const server = await startRedis();
    const client = new Redis(server.url);
    const close = async (): Promise<void> => {
      client.disconnect();
      await server.remove();
    };
    return { memory: new RedisMemoryService(client, { runtime }), close };
  },
  PostgreSQL: async (runtime) => openDatabase(await startPostgres(), runtime),
  MariaDB: async (runtime) => openDatabase(await startMariaDb(), runtime),
};

function openDatabase(server: Server, runtime: Runtime): Opened {
  const memory = new DatabaseMemoryService({ dbUrl: server.url, runtime });
  const close = async (): Promise<void> => {
    await memory.close();
    await server.remove();
  };
  return { memory, close };
}
