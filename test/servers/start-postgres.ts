import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { findOrInstall } from './find-or-install.ts';
import { findPostgres } from './find-programs.ts';
import { onAFreePort } from './on-a-free-port.ts';
import { runProgram } from './run-program.ts';
import { ServerProcess } from './server-process.ts';
import { serverOf } from './server.ts';
import type { Server } from './server.ts';
import { prepared, temporaryFolder } from './temporary-folder.ts';
import { userOtherThanRoot } from './user-other-than-root.ts';

export interface PostgresOptions {
  /** Settings such as `max_connections=50`; they come after ours, so they win. */
  config?: readonly string[] | undefined;
}

// A process that dies loses nothing that it has written, synced or not; only a machine would.
const settings = ['fsync=off', 'max_connections=400', 'shared_buffers=32MB', 'listen_addresses=127.0.0.1'];

/** A PostgreSQL with one empty database. Its URL is `postgresql://postgres@127.0.0.1:<port>/postgres`, no password. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Server> {
  const programs = await findOrInstall('postgres', findPostgres);
  return onAFreePort(async (port) => {
    const user = await userOtherThanRoot();
    const folder = temporaryFolder('postgres');
    if (user) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    const how = ['-A', 'trust', '-U', 'postgres', '--no-sync', '--locale=C', '-E', 'UTF8'];
    await prepared(folder, runProgram(join(programs, 'initdb'), ['-D', data, ...how], { cwd: folder, user }));
    const given = [...settings, `unix_socket_directories=${folder}`, ...(options.config ?? [])];
    const running = await ServerProcess.start({
      ...{ name: 'postgres', command: join(programs, 'postgres'), folder, temporary: true, user },
      args: ['-D', data, '-p', String(port), ...given.flatMap((each) => ['-c', each])],
      ready: /database system is ready to accept connections/,
      stopSignal: 'SIGINT',
    });
    return serverOf(running, { url: `postgresql://postgres@127.0.0.1:${port}/postgres`, port, folder });
  });
}
