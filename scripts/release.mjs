// `pnpm release`: checks everything, builds and packs all packages, and lists what a release would publish.
// `pnpm release version` applies the pending changesets. `pnpm release --publish` publishes to npm; nothing else does.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packAll, publishedPackages } from './tarballs.mjs';

const root = join(import.meta.dirname, '..');
const argument = process.argv[2];

if (process.argv.length > 3 || ![undefined, 'version', '--publish'].includes(argument)) {
  stop('usage: pnpm release [version | --publish]');
}
if (argument === 'version') version();
else release(argument === '--publish');

function version() {
  run('changeset version');
  // The server runs without file access, so its version is a constant.
  const file = join(root, 'packages/server/src/version.ts');
  const { version } = publishedPackages().find(({ folder }) => folder === 'server') ?? {};
  if (existsSync(file)) writeFileSync(file, readFileSync(file, 'utf8').replace(/'\d[^']*'/, `'${version}'`));
  run('oxfmt .changeset "packages/*/package.json" "packages/*/CHANGELOG.md"');
}

function release(publish) {
  const pending = readdirSync(join(root, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md');
  if (pending.length > 0) stop(`Changesets are pending: ${pending.join(', ')}. Run "pnpm release version" and commit.`);
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  if (stdout.trim() !== '') stop('There are uncommitted changes. Commit them first.');
  run('node scripts/check.mjs --all');
  const tarballs = packAll(join(root, '.tools', 'tarballs'));
  for (const { name, version } of publishedPackages()) {
    console.log(`${name}@${version}  ${Math.ceil(statSync(tarballs.get(name)).size / 1024)} KiB`);
  }
  if (!publish)
    return console.log(
      'Nothing was published. "pnpm release --publish" publishes the versions that npm does not have yet.',
    );
  run('changeset publish');
}

function run(command) {
  const { status } = spawnSync(command, { cwd: root, stdio: 'inherit', shell: true });
  if (status !== 0) stop(`"${command}" failed.`);
}

function stop(reason) {
  console.error(reason);
  process.exit(1);
}
