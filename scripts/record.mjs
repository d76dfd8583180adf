// `pnpm record <provider> [words …]`: saves answers of the real provider as fixtures, by test/record.ts of
// packages/provider-<provider> or packages/<provider>-services. Needs the provider's key in the environment; the key is
// not saved.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '..', 'packages');
const recorderOf = (folder) => join(packages, folder, 'test', 'record.ts');
const known = readdirSync(packages).filter((folder) => existsSync(recorderOf(folder)));

const [name, ...rest] = process.argv.slice(2);
const folder = [name, `provider-${name}`, `${name}-services`].find((each) => known.includes(each));
if (folder === undefined) {
  console.error(
    `usage: pnpm record <provider>, one of: ${known.map((each) => each.replace(/^provider-|-services$/g, '')).join(', ')}`,
  );
  process.exit(2);
}
const args = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning', recorderOf(folder), ...rest];
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
