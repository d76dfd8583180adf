import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstall } from './find-or-install.ts';
import { findPostgres } from './find-programs.ts';
import { startOnFreePort } from './start-on-free-port.ts';
import { runProgram } from './run-program.ts';
import { ServerProcess } from './server-process.ts';
import { serverOf } from './server.ts';
import type { Server } from './server.ts';
import { removeIfFailed, temporaryFolder } from './temporary-folder.ts';
import { userOtherThanRoot } from './user-other-than-root.ts';

export interface PostgresOptions {
  /** Settings such as `max_connections=50`. They override the default settings. */
  config?: readonly string[] | undefined;
}

// Data that was written but not synced survives a killed process. Only a crash of the machine would lose it.
const settings = ['fsync=off', 'max_connections=400', 'shared_buffers=32MB', 'listen_addresses=127.0.0.1'];

/** Starts PostgreSQL with one empty database. Its URL is `postgresql://postgres@127.0.0.1:<port>/postgres`, without a password. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Server> {
  const programs = await findOrInstall('postgres', findPostgres);
  return startOnFreePort(async (port) => {
    const user = await userOtherThanRoot();
    const folder = temporaryFolder('postgres');
    if (user) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    const flags = ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '--locale=C', '-E', 'UTF8'];
    await removeIfFailed(folder, runProgram(join(programs, 'initdb'), flags, { cwd: folder, user }));
    const allSettings = [...settings, `unix_socket_directories=${folder}`, ...(options.config ?? [])];
    const running = await ServerProcess.start({
      ...{ name: 'postgres', command: join(programs, 'postgres'), folder, temporary: true, user },
      args: ['-D', data, '-p', String(port), ...allSettings.flatMap((each) => ['-c', each])],
      ready: /database system is ready to accept connections/,
      stopSignal: 'SIGINT',
    });
    return serverOf(running, { url: `postgresql://postgres@127.0.0.1:${port}/postgres`, port, folder });
  });
}
