import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { until } from '../servers/until.ts';

interface Started {
  child: ChildProcess;
  /** The first complete line that CI's script prints. */
  line: Promise<string>;
  code: Promise<number | null>;
}

describe('node scripts/check.mjs --fresh', () => {
  it('runs .ci/run in a clone with an empty home and passes its exit code on', async () => {
    const { line, code } = startCheck(`#!/bin/sh
echo "$HOME|$(ls -A "$HOME")|$(cat "$HOME/.npmrc")|$(env | grep -iE '^(xdg|pnpm|npm)_' | tr '\\n' ' ')|$PWD|$(ls)"
exit 7
`);
    const [home, files, npmrc, variables, folder, listed] = (await line).split('|');
    expect(await code).toBe(7);
    expect([files, npmrc, variables, listed]).toEqual([
      '.npmrc',
      'fund=false',
      'npm_config_registry=http://r.test/ ',
      'scripts',
    ]);
    expect(dirname(folder!)).toBe(dirname(home!));
    expect(existsSync(dirname(folder!))).toBe(false);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends .ci/run and removes the clone on %s', async (signal) => {
    const { child, line, code } = startCheck('#!/bin/sh\necho "$PWD|$$"\nsleep 600 & wait\n');
    const [folder, pid] = (await line).split('|');
    expect(existsSync(folder!)).toBe(true);
    child.kill(signal);
    expect(await code).toBe(130);
    expect(existsSync(dirname(folder!))).toBe(false);
    await until(() => !isAlive(-Number(pid)), { why: 'the script still runs' });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts the check in a repository that contains only the scripts of the check and this `.ci/run`. */
function startCheck(script: string): Started {
  const folder = mkdtempSync(join(tmpdir(), 'thole-check-fresh-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const repository = join(folder, 'repository');
  for (const file of ['scripts/check.mjs', 'scripts/check-fresh.mjs']) cpSync(join(root, file), join(repository, file));
  mkdirSync(join(repository, '.ci'));
  writeFileSync(join(repository, '.ci/run'), script, { mode: 0o755 });
  writeFileSync(join(folder, '.npmrc'), 'fund=false');
  const author = ['-c', 'user.name=Thole', '-c', 'user.email=thole@example.com'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    [...author, 'commit', '--quiet', '--message=Start'],
  ])
    expect(spawnSync('git', args, { cwd: repository, encoding: 'utf8' }).stderr).not.toMatch(/fatal|error/);
  const { PATH } = process.env;
  const caches = { XDG_CACHE_HOME: folder, PNPM_HOME: folder, npm_config_cache: folder, npm_package_name: 'x' };
  const env = { PATH, ...caches, npm_config_userconfig: join(folder, '.npmrc'), npm_config_registry: 'http://r.test/' };
  const child = spawn(process.execPath, ['scripts/check.mjs', '--fresh'], { cwd: repository, env });
  let output = '';
  const line = new Promise<string>((resolve) =>
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.endsWith('\n')) resolve(output.trimEnd());
    }),
  );
  return { child, line, code: once(child, 'close').then(([code]) => code as number | null) };
}
