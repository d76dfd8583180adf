import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstall } from './find-or-install.ts';
import { findProgram } from './find-programs.ts';
import { startOnFreePort } from './start-on-free-port.ts';
import { ServerProcess } from './server-process.ts';
import { serverOf } from './server.ts';
import type { Server } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { userOtherThanRoot } from './user-other-than-root.ts';

export interface PgBouncerOptions {
  /** The PostgreSQL server behind it. */
  postgresUrl: string;
  /** Lines of pgbouncer.ini, such as `default_pool_size = 1`. They override the default lines. */
  config?: readonly string[] | undefined;
}

// In transaction mode many clients share a few connections: each transaction may use another one.
const settings = ['pool_mode = transaction', 'default_pool_size = 4', 'max_client_conn = 400', 'auth_type = any'];

/** Starts PgBouncer in transaction mode. Its URL is that of PostgreSQL with another port. It accepts any user. */
export async function startPgBouncer({ postgresUrl, config = [] }: PgBouncerOptions): Promise<Server> {
  const command = await findOrInstall('pgbouncer', () => findProgram('pgbouncer'));
  const user = await userOtherThanRoot();
  return startOnFreePort(async (port) => {
    const folder = temporaryFolder('pgbouncer');
    if (user) chownSync(folder, user.uid, user.gid);
    const { hostname, port: serverPort, username } = new URL(postgresUrl);
    const database = `* = host=${hostname} port=${serverPort} user=${username}`;
    const place = ['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='];
    const lines = ['[databases]', database, '[pgbouncer]', ...place, ...settings, ...config, ''];
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(file, lines.join('\n'));
    const running = await ServerProcess.start({
      ...{ name: 'pgbouncer', command, args: [file], folder, temporary: true, user },
      ready: /process up/,
      stopSignal: 'SIGTERM',
    });
    const url = new URL(postgresUrl);
    url.port = String(port);
    return serverOf(running, { url: url.href, port, folder });
  });
}
