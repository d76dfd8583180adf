// `pnpm example <package>`: runs the first program of packages/<package>/README.md on the sources. The program of a provider package
// calls the local server of its tests (test/example-server.ts), or the real provider if the environment contains its key.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const packages = join(import.meta.dirname, '..', 'packages');
const flags = ['--conditions=@thole/source', '--disable-warning=ExperimentalWarning'];

/** Returns the first program of a package's README. Undefined if there is none. */
export function firstProgramOf(folder) {
  const readme = join(packages, folder, 'README.md');
  const text = existsSync(readme) ? readFileSync(readme, 'utf8') : '';
  return /<!-- first program -->\s*```(?:ts|typescript)\n([\s\S]*?)^```$/m.exec(text)?.[1];
}

/** Starts the local server for a package's first program. Returns the variables to set, and a function that ends the server. */
export async function startExampleServer(folder) {
  const file = join(packages, folder, 'test', 'example-server.ts');
  if (!existsSync(file)) return { env: {}, end() {} };
  const server = spawn(process.execPath, [...flags, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(server.stdout);
  const exited = once(server, 'exit').then(([code]) => {
    throw new Error(`${file} ended with exit code ${code} before it printed its environment.`);
  });
  const [line] = await Promise.race([once(lines, 'line'), exited]);
  exited.catch(() => {});
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
  if (key !== undefined) console.error(`${key} is set: the program calls the real provider.`);
  const env = key === undefined ? { ...process.env, ...server.env } : process.env;
  const args = [...flags, '--input-type=module-typescript', '--eval', firstProgramOf(name)];
  const { status } = spawnSync(process.execPath, args, { cwd: join(packages, name), env, stdio: 'inherit' });
  server.end();
  return status ?? 1;
}

/** Returns the user's variable with a key for the same provider. Undefined if none is set. The key of Gemini has two names. */
function keyFor(env) {
  const names = Object.keys(env).filter((name) => name.endsWith('_KEY'));
  return [...names, ...(names.includes('GEMINI_API_KEY') ? ['GOOGLE_API_KEY'] : [])].find((name) => process.env[name]);
}
