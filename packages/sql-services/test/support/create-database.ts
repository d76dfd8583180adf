import { randomUUID } from 'node:crypto';
import { connect } from './server-tables.ts';

/**
 * Creates an empty database on a server, for one test or suite. This needs a tenth of the time of a separate server, which only tests
 * that stop their server need.
 */
export async function createDatabase(
  kind: 'postgres' | 'mariadb',
  serverUrl: string,
): Promise<{ url: string; remove(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const server = connect(kind, serverUrl);
  await server.query(`CREATE DATABASE ${name}`);
  return {
    url: serverUrl.replace(/[^/]*$/, name),
    async remove() {
      // A connection of a killed process may be open for some time.
      await server.query(`DROP DATABASE ${name}${kind === 'postgres' ? ' WITH (FORCE)' : ''}`);
      await server.close();
    },
  };
}
