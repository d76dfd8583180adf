// Downloads a package into a separate folder outside the workspace: Node and pnpm for a bare clone, runtimes for
// tests, peers for benches. Plain JavaScript without imports from npm; runs on Node 18 and newer.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Returns the package's folder below `.tools`. Downloads the package with npm if it is missing, and rejects if npm fails. The
 * download has a temporary name until it is complete, so concurrent or interrupted calls leave no broken folder. `beside` lists
 * more packages to install, as `name@version`; matching dependencies of the package are taken from them. `run` starts a command
 * and returns its exit code.
 */
export async function fetchPackage(packageName, version, { group = '', beside = [], run = runQuietly } = {}) {
  const target = join(root, '.tools', group, `${packageName.replace('/', '+')}@${version}`);
  if (!existsSync(join(target, 'done'))) {
    process.stderr.write(`thole: downloading ${packageName} ${version}\n`);
    const partial = `${target}.${process.pid}`;
    mkdirSync(partial, { recursive: true });
    const flags = '--ignore-scripts --no-save --no-audit --no-fund --prefer-offline --loglevel=error'.split(' ');
    const code = await npm(['install', '--prefix', partial, ...flags, `${packageName}@${version}`, ...beside], run);
    if (code !== 0) {
      rmSync(partial, { recursive: true, force: true });
      throw new Error(`Cannot download ${packageName} ${version}: npm ended with exit code ${code}.`);
    }
    writeFileSync(join(partial, 'done'), '');
    try {
      renameSync(partial, target);
    } catch (error) {
      if (!existsSync(join(target, 'done'))) throw error;
      rmSync(partial, { recursive: true, force: true });
    }
  }
  return join(target, 'node_modules', packageName);
}

/** Downloads a package for a comparison, with its dependencies, into `.tools/peers/<name>@<version>`. Returns its folder. */
export function fetchPeer(packageName, version, { beside } = {}) {
  return fetchPackage(packageName, version, { group: 'peers', beside });
}

/** Returns the environment without the variables whose names match the pattern. */
export function environmentWithout(pattern) {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !pattern.test(key)));
}

/** Runs npm in the root and returns its exit code. Uses the npm that started this process, otherwise the one on PATH. */
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
