import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'tsup';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { fetchPackage } from '../../scripts/fetch-package.mjs';
import { root } from '../architecture/workspace.ts';
import { mountCases } from '../mounts/mount-cases.ts';
import { executable, skipAloud } from './executable.ts';
import { temporaryFolder } from './workspace-copy.ts';

const { folder, remove } = temporaryFolder('mounts');
const NEXT = '16.4.6';
const REACT = '19.3.1';
const LIMIT_MS = 100_000;

beforeAll(async () => {
  // What is built, in one module: nothing but Web standards may be left to import.
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
      const bun = await executable('bun', skip);
      const [line] = lines;
      const source = `const server = ${line!.replace('8000', '0')}\nconsole.log(server.url.href);\n`;
      return started(bun, [program('bun.mjs', source)], folder);
    },
  },
  {
    name: 'Deno',
    lines: ['Deno.serve({ port: 8000 }, (request, info) => handler(request, { address: info.remoteAddr.hostname }));'],
    async start(lines: readonly string[], skip: (reason: string) => never): Promise<Started> {
      const deno = await executable('deno', skip);
      const flags = ['run', '--no-prompt', '--no-config', '--no-remote', '--allow-net'];
      const main = program('deno.mjs', lines[0]!.replace('8000', "0, hostname: '127.0.0.1'"));
      return started(deno, [...flags, main], folder);
    },
  },
  {
    name: 'Next',
    lines: ['export const GET = handler;', 'export { GET as POST, GET as PATCH, GET as DELETE, GET as OPTIONS };'],
    async start(lines: readonly string[], skip: (reason: string) => never): Promise<Started> {
      const beside = [`react@${REACT}`, `react-dom@${REACT}`];
      const next = await fetchPackage('next', NEXT, { beside }).catch((error: Error) =>
        skipAloud(`Next ${NEXT} is not to be had: ${error.message}`, skip),
      );
      const project = join(folder, 'next');
      const route = join(project, 'app/api/[...path]/route.js');
      mkdirSync(dirname(route), { recursive: true });
      writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
      // Its modules are beside this project, not above it.
      writeFileSync(join(project, 'next.config.mjs'), `export default { turbopack: { root: '/' } };\n`);
      writeFileSync(join(project, 'handler.js'), readFileSync(join(folder, 'handler.js')));
      writeFileSync(route, mountedBy('../../../handler.js', lines.join('\n')));
      symlinkSync(dirname(next), join(project, 'node_modules'), 'dir');
      return started(process.execPath, [join(next, 'dist/bin/next'), 'dev', '-p', '0', '-H', '127.0.0.1'], project);
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
    // A framework that compiles on demand does so before anything is asked of it.
    if (server) await fetch(`${server.url}/api/list-apps`, { signal: AbortSignal.timeout(LIMIT_MS) });
  }, 2 * LIMIT_MS);
  afterAll(() => server?.end());

  mountCases((skip) => server?.url ?? skip(reason!));
});

interface Started {
  url: string;
  end(): Promise<void>;
}

function program(name: string, source: string): string {
  writeFileSync(join(folder, name), mountedBy('./handler.js', source));
  return name;
}

function mountedBy(handler: string, source: string): string {
  return `import { parrotHandler } from '${handler}';\n\nconst handler = parrotHandler();\n${source}\n`;
}

/** Resolves to the address that the program prints. It and all that it starts end together. */
function started(command: string, args: readonly string[], cwd: string): Promise<Started> {
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
    const hear = (chunk: Buffer): void => {
      output += chunk.toString();
      const port = /https?:\/\/[^\s/]+:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(limit);
      resolve({ url: `http://127.0.0.1:${port}`, end });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('error', reject);
    void ended.then(() => reject(new Error(`It ended: ${output}`)));
  });
}
