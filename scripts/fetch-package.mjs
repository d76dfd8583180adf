// Downloads a package into a separate folder outside the workspace: Node and pnpm for a bare clone, runtimes for
// tests, peers for benches. Plain JavaScript without imports from npm; runs on Node 18 and newer.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The package's folder, below `.tools`. Made aside and renamed when whole, so that two runs at once, or one cut short, do no
 * harm. Rejects when npm cannot get it. `beside` are further packages to install with it, as `name@version`: what it needs is
 * taken from them where they fit. `run` starts a command and answers its exit code.
 */
export async function fetchPackage(packageName, version, { group = '', beside = [], run = runQuietly } = {}) {
  const target = join(root, '.tools', group, `${packageName.replace('/', '+')}@${version}`);
  if (!existsSync(join(target, 'done'))) {
    process.stderr.write(`thole: fetching ${packageName} ${version}\n`);
    const making = `${target}.${process.pid}`;
    mkdirSync(making, { recursive: true });
    const flags = '--ignore-scripts --no-save --no-audit --no-fund --prefer-offline --loglevel=error'.split(' ');
    const code = await npm(['install', '--prefix', making, ...flags, `${packageName}@${version}`, ...beside], run);
    if (code !== 0) {
      rmSync(making, { recursive: true, force: true });
      throw new Error(`could not fetch ${packageName} ${version} (npm's exit code ${code})`);
    }
    writeFileSync(join(making, 'done'), '');
    try {
      renameSync(making, target);
    } catch (error) {
      if (!existsSync(join(target, 'done'))) throw error;
      rmSync(making, { recursive: true, force: true });
    }
  }
  return join(target, 'node_modules', packageName);
}

/** A package to compare with, and what it needs: `.tools/peers/<name>@<version>`. */
export function fetchPeer(packageName, version, { beside } = {}) {
  return fetchPackage(packageName, version, { group: 'peers', beside });
}

/** The environment without the variables whose names fit. */
export function environmentWithout(pattern) {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !pattern.test(key)));
}

/** Runs npm from the root, whichever way it is to be had; answers its exit code. */
export function npm(args, run = runQuietly) {
  const unwanted =
    /^npm_config_(local_prefix|prefix|omit|only|production|workspace|workspaces|ignore_scripts|dry_run)$/i;
  const options = { cwd: root, env: environmentWithout(unwanted), stdio: ['ignore', 'ignore', 2] };
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('npm-cli.js')) return run(process.execPath, [cli, ...args], options);
  if (process.platform !== 'win32') return run('npm', args, options);
  return run(
    'npm',
    args.map((arg) => `"${arg}"`),
    { ...options, shell: true },
  );
}

function runQuietly(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
