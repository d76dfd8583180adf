import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase } from '../../packages/sql-services/test/support/create-database.ts';
import { read, root } from '../architecture/workspace.ts';
import { describeWith } from '../servers/describe-with.ts';
import { freePort } from '../servers/free-port.ts';
import { commandsOf, startPages } from './page.ts';
import { runPage } from './run-page.ts';
import { packageFlags } from '../servers/package-flags.ts';

const [, before, after] = /^-(.*)\n\+(.*)$/m.exec(read('docs/start/keep-sessions.md')) ?? [];

describeWith('postgres', 'Start pages on PostgreSQL', (sharedUrl) => {
  const folder = mkdtempSync(join(tmpdir(), 'thole-start-pages-'));
  // The sources of the workspace are the installed packages.
  const env = { NODE_OPTIONS: [...packageFlags, '--disable-warning=ExperimentalWarning'].join(' ') };
  let port: number;
  let database: { url: string; remove(): Promise<void> };

  beforeAll(async () => {
    database = await createDatabase('postgres', sharedUrl);
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    port = await freePort();
  });
  afterAll(async () => {
    await database?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(startPages)('%s prints the same output after the change of one line', async (page) => {
    const line = after!.replace(/'.*'/, `'${database.url}'`);
    const edit = (text: string): string => text.replace(before!, line);
    expect(await runPage(page, { folder, port, env, edit })).toEqual(commandsOf(page));
  });
});
