import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../architecture/workspace.ts';

describe('pnpm release', () => {
  it('refuses while changesets are pending, and names them', () => {
    const { status, stderr } = release({ '.changeset/a-change.md': '' });
    expect([status, stderr]).toEqual([
      1,
      'Changesets are pending: a-change.md. Run "pnpm release version" and commit.\n',
    ]);
  });

  it('refuses while there are uncommitted changes', () => {
    const { status, stderr } = release({ '.changeset/config.json': '{}' });
    expect([status, stderr]).toEqual([1, 'There are uncommitted changes. Commit them first.\n']);
  });

  it.each([['publish'], ['--publish', 'now'], ['--Publish']])('refuses unknown arguments: %s', (...args) => {
    const { status, stderr } = release({}, args);
    expect([status, stderr]).toEqual([1, 'usage: pnpm release [version | --publish]\n']);
  });
});

describe('prepack', () => {
  const pnpm = { npm_config_user_agent: 'pnpm/12.0.0 node/v26.0.0' };
  const manifest = {
    name: '@thole/example',
    bin: { example: './dist/main.js' },
    publishConfig: {
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
    },
  };
  const files = {
    'package.json': JSON.stringify(manifest),
    'dist/index.js': '',
    'dist/index.d.ts': '',
    'dist/main.js': '',
  };

  it('passes for a package that is built', () => {
    expect(prepack(files, pnpm)).toMatchObject({ status: 0, stderr: '' });
  });

  it('names every missing file, and the command to run', () => {
    const { status, stderr } = prepack({ ...files, 'dist/index.js': undefined, 'dist/main.js': undefined }, pnpm);
    expect([status, stderr]).toEqual([
      1,
      'Cannot pack @thole/example: it is not built. Missing: ./dist/index.js, ./dist/main.js, page.html. Run "node scripts/run.mjs tarballs" in the root, which builds first.\n',
    ]);
  });

  it('refuses npm, which would keep ranges of the workspace', () => {
    const { status, stderr } = prepack(files, { npm_config_user_agent: 'npm/12.0.0 node/v26.0.0' });
    expect([status, stderr]).toEqual([
      1,
      'Cannot pack @thole/example: pack it with pnpm: other package managers keep "workspace:" ranges, and such a package cannot be installed.\n',
    ]);
  });

  function prepack(packageFiles: Files, env: NodeJS.ProcessEnv): Outcome {
    const required = packageFiles['dist/main.js'] === undefined ? ['page.html'] : [];
    return node(folderOf(packageFiles), [join(root, 'scripts/require-build.mjs'), ...required], env);
  }
});

type Files = Record<string, string | undefined>;
type Outcome = { status: number | null; stdout: string; stderr: string };

/** Runs the script in a separate repository, from which nothing can be published. */
function release(files: Files, args: readonly string[] = []): Outcome {
  const folder = folderOf({ 'packages/none/README.md': '', ...files });
  for (const file of ['release.mjs', 'tarballs.mjs'])
    cpSync(join(root, 'scripts', file), join(folder, 'scripts', file));
  spawnSync('git', ['init', '--quiet'], { cwd: folder });
  return node(folder, ['scripts/release.mjs', ...args]);
}

function folderOf(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'thole-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const [file, text] of Object.entries(files)) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

function node(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Outcome {
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env: { ...process.env, ...env } });
}
