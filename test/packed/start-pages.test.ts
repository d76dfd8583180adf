import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { read, root } from '../architecture/workspace.ts';
import { commandsOf, commandsUnder, startPages } from '../docs/page.ts';
import { runPage } from '../docs/run-page.ts';
import { freePort } from '../servers/free-port.ts';
import { copyApp } from './app-copy.ts';
import { readmeCommands } from './install-app.ts';
import { run, temporaryFolder } from './workspace-copy.ts';

const { folder, remove } = temporaryFolder('start-pages');
const project = join(folder, 'my-app');
let port: number;

beforeAll(async () => {
  // `copyApp` copies the app that the commands of the README have installed. The page has the same commands.
  expect(commandsUnder(startPages[0]!, 'Create a project')).toEqual(readmeCommands.slice(0, 8));
  await copyApp(project);
  port = await freePort();
}, 300_000);
afterAll(remove);

// In order: each page uses the files and the database of the pages before it.
describe('Start pages on packed packages', () => {
  it.each(startPages)('%s prints what it shows', async (page) => {
    expect(await runPage(page, { folder: project, port })).toEqual(commandsOf(page));
  });

  it('have programs that type-check with the tsconfig.json of the first page', async () => {
    const [, config] = /^```json\n([\s\S]*?)^```$/m.exec(read(startPages[0]!))!;
    writeFileSync(join(project, 'tsconfig.json'), config!);
    expect((await run(project, join(root, 'node_modules/.bin/tsc'), [], { anyCode: true })).output.trim()).toBe('');
  });
});
