import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ProtocolServer } from '@thole/testing/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageOf } from '../architecture/imports.ts';
import { root } from '../architecture/workspace.ts';
import { startDeployed, startModel } from '../docs/deployed-server.ts';
import type { DeployedServer } from '../docs/deployed-server.ts';
import { buildImage } from '../docs/dockerfile.ts';
import type { Image } from '../docs/dockerfile.ts';
import { commandsUnder } from '../docs/page.ts';
import { packed, published } from './tarballs.ts';
import { run, temporaryFolder } from './workspace-copy.ts';

const { folder, remove } = temporaryFolder('deploy');
const project = join(folder, 'my-app');
let image: Image;
let model: ProtocolServer;

beforeAll(async () => {
  const [prepare, ...rest] = [commandsUnder('docs/guides/deploying.md', 'Container')].flatMap((lines) => [
    lines.slice(0, 3),
    lines.slice(3),
  ]);
  expect(prepare).toEqual([
    'mkdir packages',
    'cp ../thole/.tools/tarballs/*.tgz packages',
    'npm install ./packages/*.tgz pg ioredis',
  ]);
  expect(rest.flat().join()).toContain('docker compose up');
  cpSync(join(root, 'docs/deploy'), project, { recursive: true });
  startApp(packagesOfServer());
  await run(project, 'sh', ['-e', '-c', prepare!.join('\n')]);
  model = await startModel('We sell shoes.');
  // The lock file may name a version that is newer than the list of versions in npm's cache.
  const execute = (cwd: string, command: string, env: NodeJS.ProcessEnv) =>
    run(cwd, 'sh', ['-e', '-c', command.replace('npm ci', 'npm ci --no-prefer-offline --prefer-online')], { env });
  image = await buildImage({ context: project, folder: join(folder, 'image'), run: execute });
}, 300_000);
afterAll(async () => {
  await model?.close();
  remove();
});

describe('docs/deploy/Dockerfile', () => {
  it('builds a server that answers runs, is healthy, and ends with 0 on SIGTERM', async () => {
    const env = { ...image.env, DATABASE_URL: 'sqlite:///./shop.db', DRAIN_MS: '300' };
    const server = await startDeployed({ command: image.command, cwd: image.workdir, model, env });
    try {
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
      await isHealthy(server);
      expect((await fetch(`${server.url}/list-apps`)).status).toBe(401);
      await server.request('/apps/shop/users/ada/sessions', { sessionId: 'web' });
      const newMessage = { role: 'user', parts: [{ text: 'What do you sell?' }] };
      const answer = await server.request('/run', { appName: 'shop', userId: 'ada', sessionId: 'web', newMessage });
      expect(await answer.text()).toContain('We sell shoes.');
      const stopped = server.stop();
      await expect.poll(async () => (await fetch(`${server.url}/health`)).status).toBe(503);
      await expect(isHealthy(server)).rejects.toThrow();
      expect(await stopped).toBe(0);
    } finally {
      server.kill();
    }
  });

  it('builds a server that does not start without a token or a database', async () => {
    const start = (env: NodeJS.ProcessEnv) => run(image.workdir, image.command[0]!, image.command.slice(1), { env });
    await expect(start({ THOLE_TOKEN: '', DATABASE_URL: 'sqlite://:memory:' })).rejects.toThrow(/Set THOLE_TOKEN/);
    await expect(start({ THOLE_TOKEN: 'a', DATABASE_URL: '' })).rejects.toThrow(/Set DATABASE_URL or REDIS_URL/);
  });

  it('leaves .env and other files out of the image', async () => {
    const { stdout } = await run(image.workdir, 'ls', ['-A']);
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((name) => !name.startsWith('shop.db'))
        .sort(),
    ).toEqual(['migrate.ts', 'node_modules', 'package.json', 'server.ts', 'services.ts']);
  });
});

function isHealthy({ port }: DeployedServer): Promise<unknown> {
  const [command, ...args] = image.healthcheck;
  return run(image.workdir, command!, args, { env: { PORT: `${port}` } });
}

/** Returns our packages that the server imports, and those that they depend on. An image with all packages takes twice as long. */
function packagesOfServer(): ReadonlySet<string> {
  const sources = globSync('*.ts', { cwd: project }).map((file) => readFileSync(join(project, file), 'utf8'));
  const imports = sources.flatMap((text) => [...text.matchAll(/from '([^'.][^']*)'/g)].map(([, name]) => name!));
  const names = new Set<string>();
  const add = (name: string): void => {
    const manifest = published.find((each) => each.manifest.name === name)?.manifest;
    if (manifest === undefined || names.has(name)) return;
    names.add(name);
    for (const dependency of Object.keys(manifest.dependencies ?? {})) add(dependency);
  };
  for (const name of imports) add(packageOf(name));
  return names;
}

/** Writes the package.json of an app that was installed from the tarballs of a clone beside it. */
function startApp(names: ReadonlySet<string>): void {
  const tarballs = join(folder, 'thole/.tools/tarballs');
  mkdirSync(tarballs, { recursive: true });
  const dependencies: Record<string, string> = {};
  for (const name of names) {
    const file = packed.get(name)!;
    cpSync(file, join(tarballs, basename(file)));
    dependencies[name] = `file:../thole/.tools/tarballs/${basename(file)}`;
  }
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'my-app', version: '1.0.0', type: 'module', dependencies }),
  );
}
