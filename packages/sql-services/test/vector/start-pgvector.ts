import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetchPackage } from '../../../../scripts/fetch-package.mjs';
import { freePort } from '../../../../test/servers/index.ts';

const SOCKET = '0.2.17';
const OTHER_PACKAGES = ['@electric-sql/pglite@0.5.14', '@electric-sql/pglite-pgvector@0.0.15'];

interface Database {
  close(): Promise<void>;
}
interface Modules {
  pglite: { PGlite: { create(options: object): Promise<Database> } };
  'pglite-pgvector': { vector: object };
  'pglite-socket': { PGLiteSocketServer: new (options: object) => { start(): Promise<void>; stop(): Promise<void> } };
}

/**
 * Starts PostgreSQL with pgvector as WebAssembly, installed with npm, for tests on servers without the extension. Throws if it
 * cannot be installed.
 */
export async function startPgvector(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = dirname(await fetchPackage('@electric-sql/pglite-socket', SOCKET, { beside: OTHER_PACKAGES }));
  const load = async <Name extends keyof Modules>(name: Name): Promise<Modules[Name]> =>
    (await import(pathToFileURL(join(folder, name, 'dist/index.js')).href)) as Modules[Name];
  const { vector } = await load('pglite-pgvector');
  const db = await (await load('pglite')).PGlite.create({ extensions: { vector } });
  const port = await freePort();
  const { PGLiteSocketServer } = await load('pglite-socket');
  const server = new PGLiteSocketServer({ db, port, host: '127.0.0.1', maxConnections: 20 });
  await server.start();
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await db.close();
    },
  };
}
