import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { commandsOf } from './page.ts';
import { packageFlags } from '../servers/package-flags.ts';

it('docs/examples/mcp-tools.ts prints what docs/guides/mcp.md shows, without a key', async () => {
  const [shown] = commandsOf('docs/guides/mcp.md');
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/_API_KEY$|^VITEST|^NODE_(?!COMPILE_CACHE)/.test(name),
  );
  const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, 'mcp-tools.ts'], {
    cwd: join(root, 'docs/examples'),
    env: Object.fromEntries(inherited),
    timeout: 60_000,
  });
  expect({ command: 'node mcp-tools.ts\n', output: stdout }).toEqual(shown);
  expect(stderr).toBe('');
});
