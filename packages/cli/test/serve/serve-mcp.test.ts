import { PassThrough } from 'node:stream';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { reserveOutput } from '../../src/serve/reserve-output.ts';
import { agentText } from '../support/agent-text.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';

describe('thole mcp', () => {
  it.each([
    ['an unknown agent', ['hello', '--agents', 'hallo'], /--agents: the app has no agent hallo\. Did you mean hello/],
    ['no agents', ['hello', '--agents', ','], /--agents must name at least one agent/],
    ['an empty user id', ['hello', '--user_id', ''], /--user_id must not be empty/],
    ['an unknown log level', ['hello', '--log_level', 'loud'], /--log_level must be one of debug/],
    ['a folder without an agent', ['.'], /There is no agent in \./],
  ])('exits with 2 for %s', async (_name, args, message) => {
    const files = args[0] === '.' ? {} : { 'hello/agent.ts': agentText('hello', 'said') };
    const cwd = temporaryFolder(files);
    const { code, output, errors } = await thole(['mcp', ...args, '--session_service_uri', 'memory://'], { cwd });
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(message);
  });

  it('serves a module that exports a runner, and ends with its input', async () => {
    const cwd = temporaryFolder({ 'hello/agent.ts': '' });
    const agent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(says('Hi.')) });
    const runner = new Runner({ appName: 'shop', agent, sessionService: new InMemorySessionService() });
    const input = new PassThrough();
    const request = { name: 'clerk', arguments: { request: 'Hello' } };
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: request })}\n`);
    const { code, output, errors } = await thole(['mcp', 'hello'], {
      ...{ cwd, input, modules: { 'agent.ts': { runner } } },
      onOutput: () => input.end(),
    });
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(JSON.parse(output)).toMatchObject({ id: 1, result: { content: [{ text: 'Hi.' }] } });
  });
});

describe('reserveOutput', () => {
  it('sends other writes to the error stream until it is released', () => {
    const written: string[] = [];
    const streamNamed = (name: string): PassThrough =>
      new PassThrough().on('data', (data: Buffer) => void written.push(`${name}: ${data.toString()}`));
    const [output, errors] = [streamNamed('output'), streamNamed('errors')];
    const reserved = reserveOutput({ output, errors });
    output.write('a log line');
    reserved.output.write('a message');
    reserved.release();
    output.write('text');
    expect(written).toEqual(['errors: a log line', 'output: a message', 'output: text']);
  });
});
