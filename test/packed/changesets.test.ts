import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packages, root } from '../architecture/workspace.ts';
import { copyWorkspace, run, temporaryFolder } from './workspace-copy.ts';

// Versions are computed in a copy. Nothing is published.
const { folder, remove } = temporaryFolder('changesets');
const published = packages.filter(({ manifest }) => !manifest.private);
const git = (...args: string[]): Promise<unknown> =>
  run(folder, 'git', ['-c', 'user.name=Thole', '-c', 'user.email=thole@example.com', ...args]);
const released = temporaryFolder('released');

beforeAll(async () => {
  copyWorkspace(released.folder);
  // Versions depend only on manifests and settings.
  copyWorkspace(folder, (file) => !file.includes('/') || /^\.changeset\/.*\.json$|\/package\.json$/.test(file));
  // The test starts at 1.0.0, where a patch and a minor are within the ranges of dependents.
  for (const { folder: name, manifest } of packages) {
    const text = readFileSync(manifestOf(name), 'utf8');
    writeFileSync(manifestOf(name), text.replace(`"version": "${manifest.version}"`, '"version": "1.0.0"'));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=Start');
});
afterAll(() => {
  remove();
  released.remove();
});

describe('a changeset with a minor of packages', () => {
  // Packages of one level do not depend on each other, so each level can be released by one command.
  it.each(levels())('moves no package that depends on them: %s', async (...names) => {
    const versions = await versionsAfter(Object.fromEntries(names.map((name) => [name, 'minor'])));
    expect(versions).toEqual(Object.fromEntries(names.map((name) => [name, '1.1.0'])));
  });
});

it('moves dependents by a patch, and only those, when their range no longer fits', async () => {
  const direct = published.filter(({ manifest }) => '@thole/recall' in (manifest.dependencies ?? {}));
  const moved = await versionsAfter({ '@thole/recall': 'major' });
  const above = published.filter(({ manifest }) =>
    direct.some((each) => each.manifest.name in (manifest.dependencies ?? {})),
  );
  expect(moved).toEqual({
    '@thole/recall': '2.0.0',
    ...Object.fromEntries(direct.map(({ manifest }) => [manifest.name, '1.0.1'])),
  });
  expect(above.length).toBeGreaterThan(0);
});

it('fixes and links no versions', () => {
  const config = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8')) as {
    fixed: unknown;
    linked: unknown;
  };
  expect(config).toMatchObject({ fixed: [], linked: [] });
});

it('gives every package that was never released version 0.1.0 at its first release', async () => {
  const unreleased = published.filter(({ manifest }) => manifest.version === '0.0.0');
  symlinkSync(join(root, 'node_modules'), join(released.folder, 'node_modules'), 'dir');
  const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
  await run(released.folder, process.execPath, ['scripts/release.mjs', 'version'], { env: { PATH: path } });
  const versions = unreleased.map(({ folder: each }) => [each, versionIn(released.folder, each)]);
  expect(versions).toEqual(unreleased.map(({ folder: each }) => [each, '0.1.0']));
  const server = readFileSync(join(released.folder, 'packages/server/src/version.ts'), 'utf8');
  expect(server).toContain(`version = '${versionIn(released.folder, 'server')}'`);
});

/** Returns the published packages in levels: packages without dependencies, packages that depend on these, and so on. */
function levels(): string[][] {
  const names = new Set(published.map(({ manifest }) => manifest.name));
  const needed = new Map(
    published.map(({ manifest }) => {
      const { dependencies, devDependencies, peerDependencies } = manifest;
      const all = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
      return [manifest.name, all.filter((name) => names.has(name))];
    }),
  );
  const found: string[][] = [];
  while (needed.size > 0) {
    const isReady = ([, others]: [string, string[]]): boolean => !others.some((name) => needed.has(name));
    const level = [...needed].filter(isReady).map(([name]) => name);
    if (level.length === 0) throw new Error(`These packages depend on each other: ${[...needed.keys()].join(', ')}.`);
    for (const name of level) needed.delete(name);
    found.push(level);
  }
  return found;
}

/** Returns the packages whose version `changeset version` changes, with their new versions. */
async function versionsAfter(bumps: Record<string, string>): Promise<Record<string, string>> {
  const front = Object.entries(bumps).map(([name, bump]) => `'${name}': ${bump}`);
  writeFileSync(join(folder, '.changeset/a-change.md'), `---\n${front.join('\n')}\n---\n\nA change.\n`);
  await run(folder, join(root, 'node_modules/.bin/changeset'), ['version']);
  const moved = published.flatMap(({ folder: each, manifest }) => {
    const version = versionIn(folder, each);
    return version === '1.0.0' ? [] : [[manifest.name, version] as const];
  });
  await git('reset', '--quiet', '--hard');
  await git('clean', '--quiet', '--force', '-d');
  return Object.fromEntries(moved);
}

function versionIn(workspace: string, name: string): string {
  const text = readFileSync(join(workspace, 'packages', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function manifestOf(name: string): string {
  return join(folder, 'packages', name, 'package.json');
}
