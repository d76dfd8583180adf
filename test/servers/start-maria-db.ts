import { join } from 'node:path';
import { findOrInstall } from './find-or-install.ts';
import { findProgram } from './find-programs.ts';
import { startOnFreePort } from './start-on-free-port.ts';
import { runProgram } from './run-program.ts';
import { ServerProcess } from './server-process.ts';
import { serverOf } from './server.ts';
import type { Server } from './server.ts';
import { removeIfFailed, temporaryFolder } from './temporary-folder.ts';

export interface MariaDbOptions {
  /** Options such as `--max-connections=50`. They override the default options. */
  config?: readonly string[] | undefined;
}

// Data that was written but not flushed survives a killed process. Only a crash of the machine would lose it.
const settings = [
  ...['--innodb-flush-log-at-trx-commit=2', '--innodb-buffer-pool-size=64M', '--max-connections=400'],
  ...['--bind-address=127.0.0.1', '--skip-log-bin', '--performance-schema=off', '--skip-name-resolve'],
];

/** Starts MariaDB with one empty database, `test`. Its URL is `mysql://root@127.0.0.1:<port>/test`, without a password. */
export async function startMariaDb(options: MariaDbOptions = {}): Promise<Server> {
  const { server, install } = await findOrInstall('mariadb', findPrograms);
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  return startOnFreePort(async (port) => {
    const folder = temporaryFolder('mariadb');
    // MariaDB empties its folder for temporary files when it starts, so each server needs a separate one.
    const places = [`--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`];
    const installOptions = ['--auth-root-authentication-method=normal', ...user];
    await removeIfFailed(folder, runProgram(install, ['--no-defaults', ...places, ...installOptions], { cwd: folder }));
    const address = [`--port=${port}`, `--socket=${join(folder, 's.sock')}`, `--pid-file=${join(folder, 'pid')}`];
    const running = await ServerProcess.start({
      ...{ name: 'mariadbd', command: server, folder, temporary: true },
      args: ['--no-defaults', ...places, ...address, ...user, ...settings, ...(options.config ?? [])],
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
