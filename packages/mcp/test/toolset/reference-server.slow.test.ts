import { getFunctionResponses } from '@thole/core';
import type { JsonObject } from '@thole/core';
import { calls, callsAll, says } from '@thole/testing';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../../test/servers/free-port.ts';
import { McpToolset } from '../../src/index.ts';
import type { McpConnectionParams } from '../../src/index.ts';
import { AgentRun } from './servers/agent-run.ts';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

let url: string;
let server: ChildProcess;

async function startServer(port: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve) => {
    const read = (chunk: unknown): void => {
      if (String(chunk).includes('listening')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
  });
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/mcp`;
  server = await startServer(String(port));
});
afterAll(() => stop(server));

const connections: [string, () => McpConnectionParams][] = [
  [
    'standard input and output',
    () => ({
      type: 'StdioConnectionParams',
      serverParams: { command: process.execPath, args: [program, 'stdio'] },
    }),
  ],
  ['HTTP', () => ({ type: 'StreamableHTTPConnectionParams', url, privateHosts: ['127.0.0.1'] })],
];

describe.each(connections)('McpToolset with the reference server over %s', (_, params) => {
  it('calls tools that answer with text, images, structured content and links', async () => {
    const run = new AgentRun(new McpToolset(params(), undefined, { useMcpResources: true }), [
      callsAll(
        ['echo', { message: 'Hello' }],
        ['get-sum', { a: 2, b: 3 }],
        ['get-tiny-image', {}],
        ['get-structured-content', { location: 'New York' }],
        ['get-resource-links', { count: 2 }],
        ['get-sum', { a: 'two' }],
        ['load_mcp_resource', {}],
      ),
      says('Done.'),
    ]);
    await run.say();
    const answers = run.events.filter(({ partial }) => !partial).flatMap(getFunctionResponses);
    const answersOf = (tool: string): JsonObject[] =>
      answers.filter(({ name }) => name === tool).map(({ response }) => response);
    expect(answersOf('echo')).toEqual([{ result: 'Echo: Hello' }]);
    expect(answersOf('get-sum')).toHaveLength(2);
    expect(answersOf('get-sum')).toContainEqual({ result: expect.stringContaining('is 5') });
    expect(answersOf('get-sum')).toContainEqual({ error: expect.stringContaining('-32602') });
    expect(answersOf('get-tiny-image')).toEqual([{ result: expect.any(String) }]);
    const weather = { structuredContent: expect.objectContaining({ conditions: expect.any(String) }) };
    expect(answersOf('get-structured-content')).toEqual([weather]);
    expect(answersOf('get-resource-links')[0]!['resources']).toHaveLength(2);
    expect(answersOf('load_mcp_resource')[0]!['resources']).toContainEqual(
      expect.objectContaining({ uri: expect.any(String) }),
    );
    const parts = run.events.flatMap(
      ({ content }) => content?.parts?.flatMap((part) => part.functionResponse?.parts ?? []) ?? [],
    );
    expect(parts).toEqual([{ inlineData: { mimeType: 'image/png', data: expect.any(String) } }]);
    expect(run.requests[0]!.config.systemInstruction).toContain('<server_notes>');
  });

  it('reports progress of a long call', async () => {
    const run = new AgentRun(new McpToolset(params()), [
      calls('trigger-long-running-operation', { duration: 2, steps: 2 }),
      says('Done.'),
    ]);
    await run.say();
    const progress = run.events.flatMap(({ customMetadata }) => customMetadata?.['progress'] ?? []);
    // The SDK drops progress that arrives together with the result.
    expect(progress[0]).toBe('1 of 2');
  });

  it('passes the question of the server to the user', async () => {
    const run = new AgentRun(new McpToolset(params()), [calls('trigger-elicitation-request'), says('Done.')]);
    const [question] = await run.say();
    expect(question).toMatchObject({ kind: 'input', responseSchema: { properties: { name: { type: 'string' } } } });
    expect(await run.answer(question!, { name: 'Ada' })).toEqual([]);
    expect(JSON.stringify(run.responses.at(-1))).toContain('Ada');
  });
});

describe('McpToolset with the reference server', () => {
  it('continues after a restart of the server', async () => {
    const toolset = new McpToolset({ type: 'StreamableHTTPConnectionParams', url, privateHosts: ['127.0.0.1'] });
    const run = new AgentRun(toolset, [says('1'), calls('echo', { message: 'Again' }), says('2')]);
    await run.say();
    await stop(server);
    server = await startServer(new URL(url).port);
    await run.say();
    expect(run.responses).toEqual([{ result: 'Echo: Again' }]);
  });
});
