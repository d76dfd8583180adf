import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchPackage } from '../../scripts/fetch-package.mjs';
import { root } from '../architecture/workspace.ts';
import { expected } from './runtime-program.ts';
import { run, temporaryFolder } from './workspace-copy.ts';

const { folder, remove } = temporaryFolder('runtimes');
const bundle = join(folder, 'out', 'entry.js');

/** By platform: the package that holds the executable, and where in it. Pinned; look before changing one. */
const runtimes = {
  bun: {
    version: '1.4.5',
    executable: 'bin/bun',
    packages: {
      'linux-x64': '@oven/bun-linux-x64',
      'linux-arm64': '@oven/bun-linux-aarch64',
      'darwin-arm64': '@oven/bun-darwin-aarch64',
      'darwin-x64': '@oven/bun-darwin-x64',
    },
  },
  deno: {
    version: '2.9.6',
    executable: 'deno',
    packages: {
      'linux-x64': '@deno/linux-x64-glibc',
      'linux-arm64': '@deno/linux-arm64-glibc',
      'darwin-arm64': '@deno/darwin-arm64',
      'darwin-x64': '@deno/darwin-x64',
    },
  },
  workerd: {
    version: '1.20261117.1',
    executable: 'bin/workerd',
    packages: {
      'linux-x64': '@cloudflare/workerd-linux-64',
      'linux-arm64': '@cloudflare/workerd-linux-arm64',
      'darwin-arm64': '@cloudflare/workerd-darwin-arm64',
      'darwin-x64': '@cloudflare/workerd-darwin-64',
    },
  },
} satisfies Record<string, { version: string; executable: string; packages: Record<string, string> }>;

beforeAll(async () => {
  // What is built, in one module: nothing but Web standards may be left to import.
  const program = join(root, 'test/packed/runtime-program.ts');
  const entry = `import { program } from ${JSON.stringify(program)};\nexport const lines = program;\nexport default { async test() { console.log((await program()).join('\\n')); } };\n`;
  writeFileSync(join(folder, 'entry.ts'), entry);
  await build({
    entry: [join(folder, 'entry.ts')],
    outDir: join(folder, 'out'),
    format: 'esm',
    platform: 'neutral',
    target: 'es2024',
    noExternal: [/./],
    splitting: false,
    config: false,
    silent: true,
    outExtension: () => ({ js: '.js' }),
  });
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { lines } from ${JSON.stringify(pathToFileURL(bundle).href)};\nconsole.log((await lines()).join('\\n'));\n`,
  );
});
afterAll(remove);

it('runs in Node, from a bundle that imports nothing', async () => {
  expect(await printed(process.execPath, ['main.mjs'])).toEqual(expected);
});

it('runs in a worker thread', async () => {
  const source = `import { lines } from ${JSON.stringify(pathToFileURL(bundle).href)};\nimport { parentPort } from 'node:worker_threads';\nparentPort.postMessage(await lines());\n`;
  writeFileSync(join(folder, 'worker.mjs'), source);
  const worker = new Worker(join(folder, 'worker.mjs'));
  const lines = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await worker.terminate();
  expect(lines).toEqual(expected);
});

it('runs in Bun', async ({ skip }) => {
  expect(await printed(await executable('bun', skip), ['main.mjs'])).toEqual(expected);
});

it('runs in Deno, without being allowed anything', async ({ skip }) => {
  expect(
    await printed(await executable('deno', skip), ['run', '--no-prompt', '--no-config', '--no-remote', 'main.mjs']),
  ).toEqual(expected);
});

it('runs in workerd, without its Node compatibility', async ({ skip }) => {
  const workerd = await executable('workerd', skip);
  writeFileSync(
    join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (modules = [(name = "main", esModule = embed "out/entry.js")], compatibilityDate = "2026-01-01");
`,
  );
  expect(await printed(workerd, ['test', 'worker.capnp'])).toEqual(expected);
});

/** Only what the program prints: some runtimes add a report. */
async function printed(command: string, args: readonly string[]): Promise<string[]> {
  const { output } = await run(folder, command, args, { env: { DENO_DIR: join(folder, 'deno') } });
  return output.split('\n').filter((line) => /^(host|found): /.test(line));
}

/** The runtime's executable, fetched below `.tools`; where its package cannot be had, the test is skipped aloud. */
async function executable(name: keyof typeof runtimes, skip: (reason: string) => never): Promise<string> {
  const { packages, version, executable: path } = runtimes[name];
  const packageName = (packages as Record<string, string>)[`${process.platform}-${process.arch}`];
  if (packageName === undefined)
    return skipAloud(`${name} ${version} has no package for ${process.platform}-${process.arch}.`, skip);
  const fetched = await fetchPackage(packageName, version).catch((error: Error) => error.message);
  if (!existsSync(join(fetched, path))) return skipAloud(`${name} ${version} is not to be had: ${fetched}`, skip);
  return join(fetched, path);
}

function skipAloud(reason: string, skip: (reason: string) => never): never {
  console.warn(`SKIPPED: ${reason}`);
  return skip(reason);
}
