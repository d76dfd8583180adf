import type { Tracer } from '@thole/core';
import { calls, FixedRuntime, RecordingTracer, says } from '@thole/testing';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { McpToolset } from '../../src/index.ts';
import type { McpToolsetOptions, StdioConnectionParams } from '../../src/index.ts';
import { AgentRun } from './servers/agent-run.ts';

// Servers start faster with compiled code of other programs of the test run.
const { NODE_COMPILE_CACHE } = process.env;
const fixture = join(import.meta.dirname, 'servers/stdio-fixture.ts');

function params(mode: string, other: Partial<StdioConnectionParams> = {}): StdioConnectionParams {
  const serverParams = {
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', fixture, mode],
    env: { GIVEN: 'given', ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
  };
  return { type: 'StdioConnectionParams', serverParams, ...other };
}

function createRun(
  connection: StdioConnectionParams,
  script: ConstructorParameters<typeof AgentRun>[1],
  options: McpToolsetOptions = {},
): AgentRun {
  return new AgentRun(new McpToolset(connection, undefined, options), script);
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const failure = (message: string): object =>
  expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringContaining(message) }) });

describe('McpToolset with a process', () => {
  it.each(['legacy', 'auto', 'modern'] as const)(
    'starts one process for all runs (protocol: %s), and ends it when the runner is closed',
    async (protocol) => {
      const runtime = new FixedRuntime();
      const run = createRun(params('serve', { protocol }), [calls('pid'), says('1'), calls('pid'), says('2')], {
        runtime,
      });
      await run.say();
      await run.say();
      const [first, second] = run.responses.map(({ result }) => Number(result));
      expect(first).toBe(second);
      expect(isAlive(first!)).toBe(true);
      await run.runner.close();
      expect(isAlive(first!)).toBe(false);
      const lines = runtime.logs.flatMap(({ fields }) => fields?.['line'] ?? []);
      expect(new Set(lines)).toEqual(new Set(['The server is ready.', 'It has four tools.']));
    },
  );

  it('names the transport and the protocol in the span of a call', async () => {
    const tracer = new RecordingTracer();
    const toolset = new McpToolset(params('serve'));
    const run = new AgentRun(toolset, [calls('pid'), says('1')], { runtime: new FixedRuntime({ tracer }) });
    await run.say();
    const { attributes } = tracer.named('execute_tool pid');
    expect(attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'network.transport': 'pipe' });
    expect(attributes).not.toHaveProperty('server.address');
  });

  it.each(['legacy', 'modern'] as const)('measures the session of each process (protocol: %s)', async (protocol) => {
    const sessions: [name: string, errorType: unknown, transport: unknown][] = [];
    const measure: NonNullable<Tracer['measure']> = (name, _value, attributes = {}) =>
      void sessions.push([name, attributes['error.type'], attributes['network.transport']]);
    const runtime = new FixedRuntime({ tracer: Object.assign(new RecordingTracer(), { measure }) });
    const toolset = new McpToolset(params('serve', { protocol }));
    const run = new AgentRun(toolset, [calls('die'), calls('pid'), says('Done.')], { runtime });
    await run.say();
    await run.runner.close();
    expect(sessions.filter(([name]) => name === 'mcp.client.session.duration')).toEqual([
      ['mcp.client.session.duration', 'MCP_SERVER_FAILED', 'pipe'],
      ['mcp.client.session.duration', undefined, 'pipe'],
    ]);
  });

  it('passes only the variables of env and a few harmless ones to the process', async () => {
    process.env['NOT_GIVEN'] = 'secret';
    const run = createRun(params('serve'), [calls('env'), says('Done.')]);
    await run.say();
    delete process.env['NOT_GIVEN'];
    expect(run.responses).toEqual([{ result: 'given undefined' }]);
  });

  it('returns an error if the process ends during a call, and starts another for the next call', async () => {
    const run = createRun(params('serve'), [calls('die'), calls('pid'), says('Done.')]);
    await run.say();
    expect(run.responses).toEqual([
      { error: expect.stringContaining('closed the connection') },
      { result: expect.stringMatching(/^\d+$/) },
    ]);
  });

  it('names the limit if a message is too large, and starts another process', async () => {
    const script = [calls('book'), calls('pid'), says('Done.')];
    const run = createRun(params('serve'), script, { maxResultBytes: 1_000 });
    await run.say();
    expect(run.responses).toEqual([
      { error: expect.stringMatching(/^A message of the MCP server has more than \d+ bytes. Raise maxResultBytes/) },
      { result: expect.stringMatching(/^\d+$/) },
    ]);
  });

  it('ends the process when it is idle', async () => {
    const runtime = new FixedRuntime();
    const run = createRun(params('serve'), [calls('pid'), says('Done.')], { runtime, idleTimeoutMs: 1_000 });
    await run.say();
    const pid = Number(run.responses[0]!['result']);
    await runtime.advance(1_000);
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  it.each([
    ['silent', 'was not ready in 1500 ms'],
    ['noise', 'was not ready in 1500 ms'],
    ['flood', 'The MCP server "stdio-fixture.ts"'],
  ])('fails with a process that is %s', async (mode, message) => {
    const run = createRun(params(mode, { timeout: 1_500 }), [], { maxResultBytes: 1_000 });
    await expect(run.say()).rejects.toEqual(failure(message));
  });

  it('fails with a program that does not exist', async () => {
    const serverParams = { command: 'a-program-that-does-not-exist' };
    const run = createRun({ type: 'StdioConnectionParams', serverParams }, []);
    await expect(run.say()).rejects.toEqual(failure('cannot be started. Check serverParams.command'));
  });
});
