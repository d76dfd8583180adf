// `npm start`, `npm test`, `npm run chat` and `npm run companion` from a bare clone: downloads supported versions of Node and pnpm if they
// are missing, installs the packages, and runs an app's script, the script `real:<name>` of package.json, or `scripts/<name>.mjs`. Plain
// JavaScript without imports from npm; runs on Node 18 and newer.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { environmentWithout, fetchPackage, root } from './fetch-package.mjs';

// npm does not have every version for every platform: check before you change it.
const nodeToFetch = '26.10.0';
/** Folder and script of the apps that need no build. */
const appScripts = { chat: ['apps/concierge', 'chat'], companion: ['apps/companion', 'start'] };
const stamp = join(root, 'node_modules', '.thole-installed');
const say = (text) => process.stderr.write(`thole: ${text}\n`);

// The terminal also sends Ctrl-C to the child. This process waits for it and returns its exit code.
let child;
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child?.kill(signal));

const [name, ...rest] = process.argv.slice(2);
process.exitCode = await main().catch((error) => {
  say(error.message);
  return 1;
});

async function main() {
  const isSupported = isRunningNodeSupported();
  const nodeBin = isSupported
    ? dirname(process.execPath)
    : join(await fetchPackage(nodePackage(), nodeToFetch, { run }), 'bin');
  const { packageManager, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const pnpmBin = await fetchPackage(pnpmPackage(), packageManager.split('@')[1], { run });
  const pnpm = join(pnpmBin, process.platform === 'win32' ? 'pnpm.exe' : 'pnpm');
  const env = toolEnv(
    [pnpmBin, nodeBin, join(root, 'node_modules', '.bin')],
    isSupported ? process.versions.node : nodeToFetch,
  );

  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint()) {
    say('installing packages');
    const install = ['install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'];
    const code = await run(pnpm, install, { env: { ...env, CI: 'true' }, stdio: ['ignore', 2, 2] });
    if (code !== 0) return code;
    writeFileSync(stamp, fingerprint());
  }
  if (Object.hasOwn(appScripts, name)) {
    const [folder, script] = appScripts[name];
    return run(pnpm, ['--silent', '--dir', join(root, folder), 'run', script, ...rest], { env, stdio: 'inherit' });
  }
  if (Object.hasOwn(scripts, `real:${name}`))
    return run(pnpm, ['--silent', 'run', `real:${name}`, ...rest], { env, stdio: 'inherit' });
  const node = join(nodeBin, process.platform === 'win32' ? 'node.exe' : 'node');
  return run(node, [join(root, 'scripts', `${name}.mjs`), ...rest], { env, stdio: 'inherit' });
}

/** True for the versions in `engines` of package.json. */
function isRunningNodeSupported() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return (major === 22 && minor >= 18) || (major === 24 && minor >= 11) || major >= 26;
}

function nodePackage() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return `node-${platform === 'darwin' && process.arch === 'arm64' ? 'bin-' : ''}${platform}-${process.arch}`;
}

function pnpmPackage() {
  const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  return `@pnpm/exe.${process.platform}-${process.arch}${musl ? '-musl' : ''}`;
}

function toolEnv(folders, nodeVersion) {
  const env = environmentWithout(/^npm_(?!config_(registry|proxy|https_proxy|noproxy|cafile|cache|userconfig)$)/i);
  const pathKey = Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  env[pathKey] = [...folders, env[pathKey]].filter(Boolean).join(delimiter);
  return { ...env, THOLE_NODE: nodeVersion, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
}

/** Returns a hash that changes if an install is necessary: a manifest or lock file has changed, or a `node_modules` folder is missing. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) hash.update(read(file));
  for (const group of ['packages', 'apps']) {
    for (const folder of existsSync(join(root, group)) ? readdirSync(join(root, group)).sort() : []) {
      const linked = existsSync(join(root, group, folder, 'node_modules'));
      hash.update(`${group}/${folder} ${linked}\n${read(join(group, folder, 'package.json'))}`);
    }
  }
  return hash.digest('hex');
}

function read(file) {
  return existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    child = spawn(command, args, { cwd: root, ...options });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}
