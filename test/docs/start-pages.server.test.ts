import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { read, root } from '../architecture/workspace.ts';
import { describeWith } from '../servers/describe-with.ts';
import { freePort } from '../servers/free-port.ts';
import type { Server } from '../servers/server.ts';
import { startPostgres } from '../servers/start-postgres.ts';
import { commandsOf, startPages } from './page.ts';
import { runPage } from './run-page.ts';
import { packageFlags } from '../servers/package-flags.ts';

const [, before, after] = /^-(.*)\n\+(.*)$/m.exec(read('docs/start/keep-sessions.md')) ?? [];

describeWith('postgres', 'Start pages on PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'thole-start-pages-'));
  // The sources of the workspace are the installed packages.
  const env = { NODE_OPTIONS: [...packageFlags, '--disable-warning=ExperimentalWarning'].join(' ') };
  let port: number;
  let server: Server;

  beforeAll(async () => {
    server = await startPostgres();
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    port = await freePort();
  });
  afterAll(async () => {
    await server?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(startPages)('%s prints the same output after the change of one line', async (page) => {
    const line = after!.replace(/'.*'/, `'${server.url}'`);
    const edit = (text: string): string => text.replace(before!, line);
    expect(await runPage(page, { folder, port, env, edit })).toEqual(commandsOf(page));
  });
});
