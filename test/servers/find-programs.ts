import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Folders of servers that their packages do not add to PATH. */
const usual = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin', '/usr/local/opt'];

/** A program on PATH or in a usual place. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...usual];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(runs);
}

/** The newest PostgreSQL's folder of programs: `initdb` and `postgres` of one version, whatever links to them. */
export function findPostgres(): string | undefined {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const installed = versions.sort((a, b) => Number(b) - Number(a)).map((each) => `/usr/lib/postgresql/${each}/bin`);
  const onPath = findProgram('initdb');
  const candidates = [...installed, ...(onPath === undefined ? [] : [dirname(realpathSync(onPath))])];
  return candidates.find((folder) => ['initdb', 'postgres'].every((name) => runs(join(folder, name))));
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
