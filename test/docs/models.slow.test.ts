import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startExampleServer } from '../../scripts/example.mjs';
import { read, root } from '../architecture/workspace.ts';
import { commandsOf, filesOf } from './page.ts';
import { packageFlags } from '../servers/package-flags.ts';

const page = 'docs/guides/models.md';
const servers: { readonly [file: string]: string } = {
  'claude.ts': 'provider-anthropic',
  'ai-sdk.ts': 'provider-ai-sdk',
};

describe(page, () => {
  it('shows its files as docs/examples has them', () => {
    const files = filesOf(page);
    expect(files.map(({ name }) => name)).toEqual(Object.keys(servers));
    for (const { name, text } of files) expect(text).toBe(read(`docs/examples/${name}`));
  });

  it.each(commandsOf(page))('prints what it shows for $command', async ({ command, output }) => {
    const name = /^node (\S+)$/m.exec(command)![1]!;
    const server = await startExampleServer(servers[name]!);
    const { NODE_COMPILE_CACHE, PATH } = process.env;
    try {
      const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
      const { stdout } = await promisify(execFile)(process.execPath, [...flags, name], {
        cwd: join(root, 'docs/examples'),
        env: { PATH, NO_COLOR: '1', ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...server.env },
        timeout: 60_000,
      });
      expect(stdout).toBe(output);
    } finally {
      server.end();
    }
  });
});
