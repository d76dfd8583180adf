import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentText } from '../support/agent-text.ts';
import { nodeArgs, spawnThole } from '../support/spawn-thole.ts';
import { linkPackages, temporaryFolder } from '../support/temporary-folder.ts';

const ask = { name: 'hello', arguments: { request: 'Where is Ada?' } };
const packages = ['runner', 'testing', 'tools'];

const team = `
import { LlmAgent } from '@thole/runner';
import { calls, hangs, says, ScriptedLlm } from '@thole/testing';
import { requestInputTool } from '@thole/tools';
console.log('The module prints.');
process.stdout.write('And writes.\\n');
const asker = new ScriptedLlm(calls('request_input', { message: 'Which city?' }), says('She is there.'), hangs());
const clerk = new LlmAgent({ name: 'clerk', model: asker, tools: [requestInputTool()] });
const baker = new LlmAgent({ name: 'baker', model: new ScriptedLlm(says('Bread.')) });
export const rootAgent = new LlmAgent({ name: 'team', model: new ScriptedLlm(), subAgents: [clerk, baker] });
`;

interface ConnectedClient {
  client: Client;
  transport: StdioClientTransport;
  errors: () => string;
}

async function connect(
  cwd: string,
  args: readonly string[],
  p: { era?: 'legacy' | 'auto'; onForm?: () => ElicitResult } = {},
): Promise<ConnectedClient> {
  const { era = 'legacy', onForm } = p;
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [...nodeArgs, 'mcp', ...args], cwd, stderr: 'pipe' },
  });
  let errors = '';
  transport.stderr!.on('data', (data: Buffer) => void (errors += data.toString()));
  const capabilities = onForm ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: { mode: era } });
  if (onForm) client.setRequestHandler('elicitation/create', async () => onForm());
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport, errors: () => errors };
}

function textOf(result: { content?: unknown }): unknown {
  return (result.content as { text?: string }[]).map(({ text }) => text).join();
}

describe.each(['legacy', 'auto'] as const)('thole mcp (%s)', (era) => {
  it('serves an agent to the official client, with sessions in a database', async () => {
    const cwd = temporaryFolder({ 'hello/agent.ts': agentText('hello', '`You said: ${said}`') });
    const { client, errors } = await connect(cwd, ['hello'], { era });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['hello']);
    const result = await client.callTool({ ...ask, _meta: { sessionId: 's1' } });
    expect(textOf(result)).toBe('You said: Where is Ada?');
    await client.close();
    const { output } = await spawnThole(['run', 'hello', '--resume', 's1', 'And now?'], { cwd });
    expect(output).toContain('You said: And now?');
    expect(errors()).toBe('');
  });

  it('keeps output of agents out of the protocol, and sends their questions to the client', async () => {
    const cwd = temporaryFolder({ 'team/agent.ts': team });
    linkPackages(cwd, ...packages);
    const args = ['team', '--agents', 'clerk,baker', '--session_service_uri', 'memory://'];
    const onForm = (): ElicitResult => ({ action: 'accept', content: { answer: 'Paris' } });
    const { client, errors } = await connect(cwd, args, { era, onForm });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['clerk', 'baker']);
    expect(textOf(await client.callTool({ ...ask, name: 'clerk' }))).toBe('She is there.');
    expect(textOf(await client.callTool({ ...ask, name: 'baker' }))).toBe('Bread.');
    expect(errors()).toContain('The module prints.\nAnd writes.\n');
    await expect(client.callTool({ ...ask, name: 'team' })).rejects.toThrow(/team not found/);
  });
});

describe('thole mcp', () => {
  it('exits with 0 when the client disconnects during a call', async () => {
    const cwd = temporaryFolder({
      'team/agent.ts': team.replace("calls('request_input', { message: 'Which city?' }), says('She is there.'), ", ''),
    });
    linkPackages(cwd, ...packages);
    const lines = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { ...ask, name: 'clerk' } },
    ];
    const input = lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join('');
    const args = ['mcp', 'team', '--agents', 'clerk', '--session_service_uri', 'memory://'];
    const { code, output } = await spawnThole(args, { cwd, input });
    expect(code).toBe(0);
    expect(
      output
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: number }).id),
    ).toEqual([1]);
  });

  it('exits with 0 at Ctrl-C', async () => {
    const cwd = temporaryFolder({ 'hello/agent.ts': agentText('hello', 'said') });
    const ping = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`;
    const { code } = await spawnThole(['mcp', 'hello'], {
      ...{ cwd, input: ping, keepOpen: true },
      onText: (text, child) => void (text.includes('"id":1') && child.signal('SIGINT')),
    });
    expect(code).toBe(0);
  });

  it('prints the packages to install if @thole/mcp is missing', async () => {
    const cwd = temporaryFolder({ 'hello/agent.ts': agentText('hello', 'said') });
    const hook = `import { registerHooks } from 'node:module';
      const resolve = (name, context, next) => {
        if (name.startsWith('@thole/mcp')) throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
        return next(name, context);
      };
      registerHooks({ resolve });`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
    const { code, output, errors } = await spawnThole(['mcp', 'hello'], { cwd, env });
    expect([code, output]).toEqual([1, '']);
    expect(errors).toContain(
      '@thole/mcp could not be loaded. Install it with `npm install @thole/mcp @modelcontextprotocol/server`.',
    );
  });
});
