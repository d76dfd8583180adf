import type { Backend, OpenService } from './backend.ts';
import { databaseUrl } from './database-url.ts';

/** Services of `sqlite://`, `postgresql://` and `mysql://`. Each has its own connections and closes them. */
export const databaseBackend: Backend = {
  async sessions(uri, { cwd, runtime }) {
    const { DatabaseSessionService } = await import('@thole/sql-services');
    return inDatabase(new DatabaseSessionService({ dbUrl: await databaseUrl(uri, cwd), runtime }));
  },
  async artifacts(uri, { cwd, runtime }) {
    const { DatabaseArtifactService } = await import('@thole/sql-services');
    return inDatabase(new DatabaseArtifactService({ dbUrl: await databaseUrl(uri, cwd), runtime }));
  },
  async memory(uri, { cwd, runtime }) {
    const { DatabaseMemoryService } = await import('@thole/sql-services');
    return inDatabase(new DatabaseMemoryService({ dbUrl: await databaseUrl(uri, cwd), runtime }));
  },
};

function inDatabase<S extends { ping(): Promise<void>; close(): Promise<void> }>(service: S): OpenService<S> {
  return { service, ping: () => service.ping(), close: () => service.close() };
}
