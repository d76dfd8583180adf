import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { copyApp } from './app-copy.ts';
import { readmeCommands } from './install-app.ts';
import { run, temporaryFolder } from './workspace-copy.ts';

const { folder, remove } = temporaryFolder('clone');

beforeAll(async () => {
  expect(readmeCommands.slice(0, 3)).toEqual([
    'git clone https://github.com/thole-dev/thole',
    'cd thole',
    'node scripts/run.mjs tarballs',
  ]);
  expect(readmeCommands.slice(3, 8).join()).toMatch(/^mkdir \.\.\/my-app,.*,npm install /);
  expect(readmeCommands.at(-1)).toBe('npm start');
  // `copyApp` replaces the commands before these. This workspace is the clone, and the folders beside it are temporary.
  const script = readmeCommands
    .slice(8, -1)
    .map((line) => line.replaceAll('../thole', root).replaceAll('../', `${folder}/`));
  const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;
  await run(root, 'sh', ['-e', '-c', script.join('\n')], { env: { PATH: path } });
  await copyApp(join(folder, 'my-app'));
}, 300_000);
afterAll(remove);

describe('the README on installing from a clone', () => {
  it('installs every package in an app', async () => {
    const program = `
      import { LlmAgent, Runner } from 'thole';
      import { DatabaseSessionService } from '@thole/sql-services';
      console.log(Runner.name, LlmAgent.name, DatabaseSessionService.name);`;
    const { stdout } = await run(join(folder, 'my-app'), process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('Runner LlmAgent DatabaseSessionService\n');
  });
});

describe('thole create from a clone', () => {
  const project = join(folder, 'hello');

  it('creates a project that installs all our packages from the clone', () => {
    const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string }>;
    };
    const ours = Object.entries(lock.packages).filter(([path]) => /node_modules\/(@thole\/|thole$)/.test(path));
    expect(ours.length).toBeGreaterThan(5);
    expect(ours.filter(([, { resolved }]) => !resolved?.startsWith('file:'))).toEqual([]);
  });

  it('creates a project that answers and type-checks', async () => {
    const { stdout } = await run(project, 'npm', ['run', '--silent', 'chat', '--', 'What time is it in Tokyo?']);
    expect(stdout).toContain('hello: It is ');
    expect(existsSync(join(project, 'node_modules/.bin/thole'))).toBe(true);
    await run(project, 'npm', ['run', '--silent', 'check']);
  });
});
