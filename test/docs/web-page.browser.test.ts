import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { describeInBrowser } from '../browser/describe-in-browser.ts';
import { visit } from '../browser/visit.ts';
import { freePort } from '../servers/free-port.ts';
import { packageFlags } from '../servers/package-flags.ts';

describeInBrowser('docs/examples/chat.html', (browser) => {
  const folder = mkdtempSync(join(tmpdir(), 'thole-web-page-'));
  let url: string;
  let stop: () => Promise<unknown>;

  beforeAll(async () => {
    cpSync(join(root, 'docs/examples'), folder, { recursive: true });
    await installSources(folder);
    const port = await freePort();
    const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
    const withoutKeys = Object.entries(process.env).filter(
      ([name]) => !/_API_KEY$|^VITEST|^NODE_(?!COMPILE_CACHE)/.test(name),
    );
    const env = { ...Object.fromEntries(withoutKeys), PORT: `${port}` };
    const server = spawn(process.execPath, [...flags, 'web-page.ts'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(server, 'exit');
    stop = () => {
      server.kill();
      return exit;
    };
    url = `http://127.0.0.1:${port}`;
    let output = '';
    for await (const chunk of server.stdout) {
      output += String(chunk);
      if (output.includes(url)) break;
    }
  });
  afterAll(async () => {
    await stop?.();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows the answer to a message', async () => {
    const page = await visit(browser(), `${url}/`);
    await ask(page, 'Where is order 1042?');
    await expect
      .poll(() => page.getByRole('listitem').allTextContents())
      .toEqual(['Where is order 1042?', 'The tool returned {"orderId":"1042","status":"shipped"}']);
  });

  it('has the developer page with the same conversation', async () => {
    const page = await visit(browser(), `${url}/api/dev-ui/#/shop?user=ada`);
    await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link').first().click();
    await page.getByRole('main').getByText('Where is order 1042?').first().waitFor();
  });

  it('answers from memory after a reload', async () => {
    const page = await visit(browser(), `${url}/`);
    await ask(page, 'My shoe size is 42.');
    await page.getByText('You said: My shoe size is 42.').waitFor();
    const search = `${url}/api/apps/shop/users/ada/memory?query=shoe%20size`;
    await expect.poll(async () => (await fetch(search)).text()).toContain('My shoe size is 42.');
    await page.reload();
    await ask(page, 'Which shoe size do I need?');
    await page.getByText('I remember: My shoe size is 42.').waitFor();
  });
});

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox').fill(question);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Links the packages of the workspace, and builds the client, which the page loads as one file. */
async function installSources(folder: string): Promise<void> {
  const scope = join(folder, 'node_modules/@thole');
  mkdirSync(scope, { recursive: true });
  const modules = join(root, 'node_modules');
  for (const name of ['thole', 'zod']) symlinkSync(join(modules, name), join(folder, 'node_modules', name), 'dir');
  for (const name of readdirSync(join(modules, '@thole'))) {
    if (name !== 'client') symlinkSync(join(modules, '@thole', name), join(scope, name), 'dir');
  }
  await build({
    entry: { index: join(root, 'packages/client/src/index.ts') },
    outDir: join(scope, 'client'),
    format: 'esm',
    platform: 'neutral',
    target: 'es2024',
    noExternal: [/./],
    config: false,
    silent: true,
    outExtension: () => ({ js: '.js' }),
  });
  writeFileSync(
    join(scope, 'client/package.json'),
    '{ "name": "@thole/client", "type": "module", "exports": "./index.js" }',
  );
}
