// `pnpm example <package>`: runs the first program of packages/<package>/README.md on the sources. A provider's talks to the local
// server of its tests (test/example-server.ts), or to the real provider where the environment has its key.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const packages = join(import.meta.dirname, '..', 'packages');
const flags = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning'];

/** The first program of a package's README; undefined where it has none. */
export function firstProgramOf(folder) {
  const readme = join(packages, folder, 'README.md');
  const text = existsSync(readme) ? readFileSync(readme, 'utf8') : '';
  return /<!-- first program -->\s*```(?:ts|typescript)\n([\s\S]*?)^```$/m.exec(text)?.[1];
}

/** Starts the server that a package's first program talks to: what to set in the environment, and how to end it. */
export async function startExampleServer(folder) {
  const file = join(packages, folder, 'test', 'example-server.ts');
  if (!existsSync(file)) return { env: {}, end() {} };
  const server = spawn(process.execPath, [...flags, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(server.stdout);
  const left = once(server, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code} and printed no environment.`);
  });
  const [line] = await Promise.race([once(lines, 'line'), left]);
  left.catch(() => {});
  return { env: JSON.parse(line), end: () => void server.kill() };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv[2]);

async function main(name) {
  const known = readdirSync(packages).filter((folder) => firstProgramOf(folder) !== undefined);
  if (!known.includes(name)) {
    console.error(`usage: pnpm example <package>, one of: ${known.join(', ')}`);
    return 2;
  }
  const server = await startExampleServer(name);
  const key = keyFor(server.env);
  if (key !== undefined) console.error(`${key} is set: this talks to the real provider.`);
  const env = key === undefined ? { ...process.env, ...server.env } : process.env;
  const args = [...flags, '--input-type=module-typescript', '--eval', firstProgramOf(name)];
  const { status } = spawnSync(process.execPath, args, { cwd: join(packages, name), env, stdio: 'inherit' });
  server.end();
  return status ?? 1;
}

/** The variable of the user's own that holds a key for the same provider. Google's has two names. */
function keyFor(env) {
  const names = Object.keys(env).filter((name) => name.endsWith('_KEY'));
  return [...names, ...(names.includes('GEMINI_API_KEY') ? ['GOOGLE_API_KEY'] : [])].find((name) => process.env[name]);
}
