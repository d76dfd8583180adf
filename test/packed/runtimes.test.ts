import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { fetchRuntime } from './executable.ts';
import { expected } from './runtime-program.ts';
import { run, temporaryFolder } from './workspace-copy.ts';

const { folder, remove } = temporaryFolder('runtimes');
const bundle = join(folder, 'out', 'entry.js');

beforeAll(async () => {
  // One module with all dependencies. It must not import anything: every runtime has only Web APIs in common.
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
  expect(await linesOf(process.execPath, ['main.mjs'])).toEqual(expected);
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
  expect(await linesOf(await fetchRuntime('bun', skip), ['main.mjs'])).toEqual(expected);
});

it('runs in Deno without permissions', async ({ skip }) => {
  expect(
    await linesOf(await fetchRuntime('deno', skip), ['run', '--no-prompt', '--no-config', '--no-remote', 'main.mjs']),
  ).toEqual(expected);
});

it('runs in workerd, without its Node compatibility', async ({ skip }) => {
  const workerd = await fetchRuntime('workerd', skip);
  writeFileSync(
    join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (modules = [(name = "main", esModule = embed "out/entry.js")], compatibilityDate = "2026-01-01");
`,
  );
  expect(await linesOf(workerd, ['test', 'worker.capnp'])).toEqual(expected);
});

/** Runs a program and returns its lines, without those that a test runner of the runtime adds. */
async function linesOf(command: string, args: readonly string[]): Promise<string[]> {
  const { output } = await run(folder, command, args, { env: { DENO_DIR: join(folder, 'deno') } });
  return output.split('\n').filter((line) => /^(host|found): /.test(line));
}
