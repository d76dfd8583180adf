import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { freePort } from '../servers/free-port.ts';
import { commandsOf } from './page.ts';
import { runPage } from './run-page.ts';
import { packageFlags } from '../servers/package-flags.ts';

const folder = mkdtempSync(join(tmpdir(), 'thole-front-ends-'));
// The sources of the workspace are the installed packages.
const env = { NODE_OPTIONS: [...packageFlags, '--disable-warning=ExperimentalWarning'].join(' ') };

beforeAll(() => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  for (const name of ['clerk.ts', 'model.ts']) copyFileSync(join(root, 'docs/examples', name), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(['docs/guides/openai-api.md', 'docs/guides/ag-ui.md', 'docs/guides/use-chat.md'])(
  '%s prints what it shows',
  async (page) => {
    expect(await runPage(page, { folder, port: await freePort(), env })).toEqual(commandsOf(page));
  },
);
