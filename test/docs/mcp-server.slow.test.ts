import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { freePort } from '../servers/free-port.ts';
import { commandsOf } from './page.ts';
import { packageFlags } from '../servers/package-flags.ts';

const page = 'docs/guides/mcp-server.md';
const folder = mkdtempSync(join(tmpdir(), 'thole-mcp-'));
let port: number;
let output = '';
let program: ReturnType<typeof spawn>;

beforeAll(async () => {
  port = await freePort();
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/_API_KEY$|^VITEST|^NODE_(?!COMPILE_CACHE)/.test(name),
  );
  const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
  program = spawn(process.execPath, [...flags, join(root, 'docs/examples/mcp-server.ts')], {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), PORT: `${port}` },
  });
  await new Promise<void>((resolve) => {
    for (const stream of [program.stdout!, program.stderr!])
      stream.on('data', (chunk) => {
        output += String(chunk);
        if (output.includes('/mcp\n')) resolve();
      });
    program.once('close', () => resolve());
  });
});

afterAll(async () => {
  const ended = new Promise((resolve) => program.once('close', resolve));
  program.kill('SIGTERM');
  const code = await ended;
  rmSync(folder, { recursive: true, force: true });
  expect(code).toBe(0);
});

describe(page, () => {
  it('prints what it shows', () => {
    const [shown] = commandsOf(page);
    expect(output.replaceAll(`:${port}`, ':8000')).toBe(shown!.output);
  });

  it('answers the call that it shows', async () => {
    const [, { command, output: answer } = expect.fail('The page shows no call.')] = commandsOf(page);
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replaceAll(':8000', `:${port}`)]);
    expect(stdout).toBe(answer);
  });

  it.each(['legacy', 'auto'] as const)(
    'serves the agent to the official client (%s), next to the API',
    async (mode) => {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
      expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
      const notes: unknown[] = [];
      const result = await client.callTool(
        { name: 'clerk', arguments: { request: 'Where is order 1042?' }, _meta: { sessionId: mode } },
        { onprogress: ({ message }) => notes.push(message) },
      );
      expect(result.content).toEqual([
        { type: 'text', text: 'The tool returned {"orderId":"1042","status":"shipped"}' },
      ]);
      expect(notes).toEqual(['Calling order_status']);
      await client.close();
      const session = await fetch(`http://127.0.0.1:${port}/apps/shop/users/user/sessions/${mode}`);
      expect(((await session.json()) as { events: unknown[] }).events.length).toBe(4);
    },
  );

  it('rejects bodies over the limit and pages of other origins', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'clerk', arguments: { request: 'x'.repeat(5_000_000) } },
    };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const url = `http://127.0.0.1:${port}/mcp`;
    const large = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(large.status).toBe(413);
    const foreign = await fetch(url, {
      method: 'POST',
      headers: { ...headers, origin: 'https://evil.example' },
      body: '{}',
    });
    expect(foreign.status).toBe(403);
  });
});
