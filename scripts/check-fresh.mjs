// `node scripts/check.mjs --fresh`: runs CI's script as a fresh machine would. The committed state is cloned into a
// temporary folder; the home directory is empty except for `.npmrc`, and so are the caches of npm and pnpm.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
// Variables that a fresh machine does not have: folders of caches, settings and tools, and variables of npm and pnpm scripts.
const LEFT_OUT = /^(?:XDG_|PNPM_|COREPACK_|TURBO_|VITEST|INIT_CWD$|NODE_ENV$|npm_)/i;
const KEPT = /^npm_config_(?:registry|proxy|https_proxy|noproxy|cafile)$/i;

/** Returns the exit code of `.ci/run` in a fresh clone of `root`. The clone is removed at the end, also after a signal. */
export async function checkFresh(root) {
  const folder = mkdtempSync(join(tmpdir(), 'thole-fresh-'));
  let child;
  let ended;
  const end = (signal) => {
    // A second signal kills the script at once.
    stop(child, ended === undefined ? signal : 'SIGKILL');
    ended ??= signal;
  };
  for (const signal of ENDS) process.on(signal, end);
  try {
    const home = join(folder, 'home');
    const clone = join(folder, 'clone');
    mkdirSync(home);
    const npmrc = userNpmrc();
    if (existsSync(npmrc)) copyFileSync(npmrc, join(home, '.npmrc'));
    if (git(root, 'status', '--porcelain').trim() !== '') console.error('Uncommitted changes are not checked.');
    git(root, 'clone', '--quiet', root, clone);
    console.error(`Running .ci/run in ${clone}`);
    const code = await new Promise((resolve, reject) => {
      // A separate process group, so that a signal reaches everything that the script started.
      child = spawn(join(clone, '.ci/run'), {
        ...{ cwd: clone, env: freshEnv(root, home), stdio: ['ignore', 'inherit', 'inherit'], detached: true },
      });
      child.on('error', reject);
      child.on('close', (status) => resolve(status ?? 1));
      if (ended !== undefined) stop(child, ended);
    });
    return ended === undefined ? code : 130;
  } finally {
    stop(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    for (const signal of ENDS) process.off(signal, end);
  }
}

function freshEnv(root, home) {
  const entries = Object.entries(process.env).filter(([key]) => KEPT.test(key) || !LEFT_OUT.test(key));
  const env = Object.fromEntries(entries);
  const path = (env.PATH ?? '').split(delimiter).filter((each) => !each.startsWith(join(root, 'node_modules')));
  return { ...env, PATH: path.join(delimiter), HOME: home, USERPROFILE: home };
}

function userNpmrc() {
  return process.env.npm_config_userconfig ?? process.env.NPM_CONFIG_USERCONFIG ?? join(homedir(), '.npmrc');
}

function git(cwd, ...args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${error?.message ?? stderr}`);
  return stdout;
}

/** Sends a signal to the script and everything that it started. */
function stop(child, signal) {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // All of these processes have ended already.
  }
}
