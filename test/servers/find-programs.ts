import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Folders of programs that are often not on PATH. */
const usualFolders = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/bin',
  '/opt/homebrew/bin',
  '/usr/local/opt',
];

/** Returns the path of the first of these programs, on PATH or in a usual folder. Undefined if there is none. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...usualFolders];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** Returns the folder with `initdb` and `postgres` of the newest PostgreSQL. Undefined if it is not installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const installed = versions.sort((a, b) => Number(b) - Number(a)).map((each) => `/usr/lib/postgresql/${each}/bin`);
  const onPath = findProgram('initdb');
  const candidates = [...installed, ...(onPath === undefined ? [] : [dirname(realpathSync(onPath))])];
  return candidates.find((folder) => ['initdb', 'postgres'].every((name) => isExecutable(join(folder, name))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
