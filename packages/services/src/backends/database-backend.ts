import { packageMissing } from '../load-package.ts';
import { databaseUrl } from '../uri/database-url.ts';
import type { ServiceUri } from '../uri/service-uri.ts';
import type { Backend, OpenService } from './backend.ts';

/** Services of `sqlite://`, `postgresql://` and `mysql://`. Each has its own connections and closes them. */
export const databaseBackend: Backend = {
  async sessions(uri, { cwd, runtime }) {
    const { DatabaseSessionService } = await load(uri);
    return toOpenService(new DatabaseSessionService({ dbUrl: databaseUrl(uri, cwd), runtime }));
  },
  async artifacts(uri, { cwd, runtime }) {
    const { DatabaseArtifactService } = await load(uri);
    return toOpenService(new DatabaseArtifactService({ dbUrl: databaseUrl(uri, cwd), runtime }));
  },
  async memory(uri, { cwd, runtime }) {
    const { DatabaseMemoryService } = await load(uri);
    return toOpenService(new DatabaseMemoryService({ dbUrl: databaseUrl(uri, cwd), runtime }));
  },
};

const drivers: { readonly [scheme: string]: string } = { postgresql: 'pg', mysql: 'mysql2' };

/** Loads `@thole/sql-services`, which loads the driver itself. */
async function load({ scheme }: ServiceUri) {
  try {
    return await import('@thole/sql-services');
  } catch (cause) {
    throw packageMissing('@thole/sql-services', cause, drivers[scheme]);
  }
}

function toOpenService<S extends { ping(): Promise<void>; close(): Promise<void> }>(service: S): OpenService<S> {
  return { service, ping: () => service.ping(), close: service.close.bind(service) };
}
