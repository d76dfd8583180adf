import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { fetchPackage } from '../../scripts/fetch-package.mjs';
import { root } from '../architecture/workspace.ts';
import { mountCases } from '../mounts/mount-cases.ts';
import { fetchRuntime, skipWithWarning } from './executable.ts';
import { temporaryFolder } from './workspace-copy.ts';

const { folder, remove } = temporaryFolder('mounts');
const NEXT = '16.4.6';
const REACT = '19.3.1';
const LIMIT_MS = 100_000;

beforeAll(async () => {
  // One module with all dependencies. It must not import anything: every runtime has only Web APIs in common.
  await build({
    entry: { handler: join(root, 'test/mounts/parrot-handler.ts') },
    outDir: folder,
    format: 'esm',
    platform: 'neutral',
    target: 'es2024',
    noExternal: [/./],
    splitting: false,
    config: false,
    silent: true,
    outExtension: () => ({ js: '.js' }),
  });
});
afterAll(remove);

describe.each([
  {
    name: 'Bun',
    lines: [
      'Bun.serve({ port: 8000, idleTimeout: 0, fetch: (request, server) => handler(request, server.requestIP(request)) });',
    ],
    async start(lines: readonly string[], skip: (reason: string) => never): Promise<Started> {
      const bun = await fetchRuntime('bun', skip);
      const [line] = lines;
      const source = `const server = ${line!.replace('8000', '0')}\nconsole.log(server.url.href);\n`;
      return startProgram(bun, [writeProgram('bun.mjs', source)], folder);
    },
  },
  {
    name: 'Deno',
    lines: ['Deno.serve({ port: 8000 }, (request, info) => handler(request, { address: info.remoteAddr.hostname }));'],
    async start(lines: readonly string[], skip: (reason: string) => never): Promise<Started> {
      const deno = await fetchRuntime('deno', skip);
      const flags = ['run', '--no-prompt', '--no-config', '--no-remote', '--allow-net'];
      const main = writeProgram('deno.mjs', lines[0]!.replace('8000', "0, hostname: '127.0.0.1'"));
      return startProgram(deno, [...flags, main], folder);
    },
  },
  {
    name: 'Next',
    lines: [
      'export const GET = (request) => handler(request);',
      'export { GET as POST, GET as PATCH, GET as DELETE, GET as OPTIONS };',
    ],
    async start(lines: readonly string[], skip: (reason: string) => never): Promise<Started> {
      const beside = [`react@${REACT}`, `react-dom@${REACT}`];
      const next = await fetchPackage('next', NEXT, { beside }).catch((error: Error) =>
        skipWithWarning(`Next ${NEXT} is not available: ${error.message}`, skip),
      );
      const project = join(folder, 'next');
      const route = join(project, 'app/api/[...path]/route.js');
      mkdirSync(dirname(route), { recursive: true });
      writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
      // Node modules are outside this folder, which Next rejects by default.
      writeFileSync(join(project, 'next.config.mjs'), `export default { turbopack: { root: '/' } };\n`);
      writeFileSync(join(project, 'handler.js'), readFileSync(join(folder, 'handler.js')));
      writeFileSync(route, mountCode('../../../handler.js', lines.join('\n')));
      symlinkSync(dirname(next), join(project, 'node_modules'), 'dir');
      return startProgram(
        process.execPath,
        [join(next, 'dist/bin/next'), 'dev', '-p', '0', '-H', '127.0.0.1'],
        project,
      );
    },
  },
])('Mounted in $name', ({ lines, start }) => {
  let server: Started | undefined;
  let reason: string | undefined;
  beforeAll(async () => {
    const readme = readFileSync(join(root, 'packages/server/README.md'), 'utf8');
    for (const line of lines) expect(readme).toContain(`\n${line}\n`);
    const skip = (why: string): never => {
      reason = why;
      throw new Error(why);
    };
    server = await start(lines, skip).catch((error: Error) => {
      if (reason === undefined) throw error;
      return undefined;
    });
    // A framework that compiles on demand compiles the route now, outside the time limits of the cases.
    if (server) await fetch(`${server.url}/api/list-apps`, { signal: AbortSignal.timeout(LIMIT_MS) });
  }, 2 * LIMIT_MS);
  afterAll(() => server?.end());

  mountCases((skip) => server?.url ?? skip(reason!));
});

interface Started {
  url: string;
  end(): Promise<void>;
}

function writeProgram(name: string, source: string): string {
  writeFileSync(join(folder, name), mountCode('./handler.js', source));
  return name;
}

function mountCode(handler: string, source: string): string {
  return `import { parrotHandler } from '${handler}';\n\nconst handler = parrotHandler();\n${source}\n`;
}

/** Starts a program and resolves with the address that it prints. `end` also ends all processes that it has started. */
function startProgram(command: string, args: readonly string[], cwd: string): Promise<Started> {
  const env = { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1', DENO_DIR: join(folder, 'deno') };
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = async (): Promise<void> => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {}
    await ended;
  };
  return new Promise((resolve, reject) => {
    let output = '';
    const limit = setTimeout(() => void end().then(() => reject(new Error(`It did not start: ${output}`))), LIMIT_MS);
    const onOutput = (chunk: Buffer): void => {
      output += chunk.toString();
      const port = /https?:\/\/[^\s/]+:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(limit);
      resolve({ url: `http://127.0.0.1:${port}`, end });
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    child.once('error', reject);
    void ended.then(() => reject(new Error(`It ended: ${output}`)));
  });
}
