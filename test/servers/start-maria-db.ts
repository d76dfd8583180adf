import { join } from 'node:path';
import { findOrInstall } from './find-or-install.ts';
import { findProgram } from './find-programs.ts';
import { onAFreePort } from './on-a-free-port.ts';
import { runProgram } from './run-program.ts';
import { ServerProcess } from './server-process.ts';
import { serverOf } from './server.ts';
import type { Server } from './server.ts';
import { prepared, temporaryFolder } from './temporary-folder.ts';

export interface MariaDbOptions {
  /** Options such as `--max-connections=50`; they come after ours, so they win. */
  config?: readonly string[] | undefined;
}

// A process that dies loses nothing that it has written, flushed or not; only a machine would.
const settings = [
  ...['--innodb-flush-log-at-trx-commit=2', '--innodb-buffer-pool-size=64M', '--max-connections=400'],
  ...['--bind-address=127.0.0.1', '--skip-log-bin', '--performance-schema=off', '--skip-name-resolve'],
];

/** A MariaDB with one empty database, `test`. Its URL is `mysql://root@127.0.0.1:<port>/test`, no password. */
export async function startMariaDb(options: MariaDbOptions = {}): Promise<Server> {
  const { server, install } = await findOrInstall('mariadb', findPrograms);
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  return onAFreePort(async (port) => {
    const folder = temporaryFolder('mariadb');
    // A MariaDB that starts clears its folder for temporary files, whosever they are: each needs its own.
    const places = [`--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`];
    const how = ['--auth-root-authentication-method=normal', ...user];
    await prepared(folder, runProgram(install, ['--no-defaults', ...places, ...how], { cwd: folder }));
    const own = [`--port=${port}`, `--socket=${join(folder, 's.sock')}`, `--pid-file=${join(folder, 'pid')}`];
    const running = await ServerProcess.start({
      ...{ name: 'mariadbd', command: server, folder, temporary: true },
      args: ['--no-defaults', ...places, ...own, ...user, ...settings, ...(options.config ?? [])],
      ready: /ready for connections/,
      stopSignal: 'SIGTERM',
    });
    return serverOf(running, { url: `mysql://root@127.0.0.1:${port}/test`, port, folder });
  });
}

function findPrograms(): { server: string; install: string } | undefined {
  const server = findProgram('mariadbd');
  const install = findProgram('mariadb-install-db');
  return server !== undefined && install !== undefined ? { server, install } : undefined;
}
