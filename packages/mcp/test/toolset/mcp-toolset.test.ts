import { calls, callsAll, says } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { McpToolset } from '../../src/index.ts';
import { AgentRun } from './servers/agent-run.ts';
import { startRawServer } from './servers/raw-server.ts';
import { objectSchema, startToolServer } from './servers/tool-server.ts';

const png = 'iVBORw0KGgo=';

async function startShop(p: Parameters<typeof startToolServer>[1] = {}): ReturnType<typeof startToolServer> {
  const server = await startToolServer((mcp, { era }) => {
    mcp.registerTool(
      'price',
      { description: 'Returns the price.', inputSchema: objectSchema({ item: { type: 'string' } }) },
      async ({ item }) => ({ content: [{ type: 'text', text: `${item}: 3 euros (${era})` }] }),
    );
    mcp.registerTool('fail', {}, async () => ({ content: [{ type: 'text', text: 'Sold out.' }], isError: true }));
    mcp.registerTool('stock', { outputSchema: objectSchema({ count: { type: 'number' } }) }, async () => ({
      content: [{ type: 'text', text: '{"count":3}' }],
      structuredContent: { count: 3 },
    }));
    mcp.registerTool('photo', {}, async () => ({
      content: [
        { type: 'text', text: 'A shoe.' },
        { type: 'image', mimeType: 'image/png', data: png },
        { type: 'audio', mimeType: 'audio/wav', data: png },
        { type: 'resource', resource: { uri: 'shop://sizes', mimeType: 'text/csv', text: '38,39' } },
        { type: 'resource', resource: { uri: 'shop://plan', mimeType: 'application/pdf', blob: png } },
        { type: 'resource_link', uri: 'shop://more', name: 'More' },
      ],
    }));
  }, p);
  onTestFinished(() => server.close());
  return server;
}

describe('McpToolset', () => {
  it.each(['legacy', 'modern'] as const)('calls tools of a server with the %s protocol', async (protocol) => {
    const server = await startShop();
    const run = new AgentRun(new McpToolset(server.params({ protocol })), [
      calls('price', { item: 'shoe' }),
      says('Three euros.'),
    ]);
    await run.say();
    expect(run.toolNames()).toEqual(['price', 'fail', 'stock', 'photo']);
    expect(run.responses).toEqual([{ result: `shoe: 3 euros (${protocol})` }]);
  });

  it('returns errors, structured content and files of tools to the model', async () => {
    const server = await startShop();
    const run = new AgentRun(new McpToolset(server.params()), [
      callsAll(['fail', {}], ['stock', {}], ['photo', {}]),
      says('Done.'),
    ]);
    await run.say();
    expect(run.responses).toEqual([
      { error: 'Sold out.' },
      { structuredContent: { count: 3 } },
      {
        result: 'A shoe.',
        resources: [
          { uri: 'shop://sizes', mimeType: 'text/csv', text: '38,39' },
          { uri: 'shop://more', name: 'More' },
        ],
      },
    ]);
    const parts = run.events.flatMap(({ content }) => content?.parts?.[0]?.functionResponse?.parts ?? []);
    expect(parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: png } },
      { inlineData: { mimeType: 'audio/wav', data: png } },
      { inlineData: { mimeType: 'application/pdf', data: png, displayName: 'shop://plan' } },
    ]);
  });

  it('returns a file once if the structured content repeats the blocks of the result', async () => {
    const content = [{ type: 'image', data: png, mimeType: 'image/png' }];
    const server = await startRawServer({ 'tools/call': () => ({ content, structuredContent: { content } }) });
    const run = new AgentRun(new McpToolset(server.params()), [calls('read'), says('A shoe.')]);
    await run.say();
    expect(run.responses).toEqual([{ result: 'See the files.' }]);
    const parts = run.events.flatMap((event) => event.content?.parts?.[0]?.functionResponse?.parts ?? []);
    expect(parts).toEqual([{ inlineData: { mimeType: 'image/png', data: png } }]);
  });

  it('returns the text of a tool with an output schema if it has no structured content', async () => {
    const tool = { name: 'read', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } };
    const content = [{ type: 'text', text: 'A shoe.' }];
    const server = await startRawServer({ 'tools/list': () => ({ tools: [tool] }), 'tools/call': () => ({ content }) });
    const run = new AgentRun(new McpToolset(server.params()), [calls('read'), says('Done.')]);
    await run.say();
    expect(run.responses).toEqual([{ result: 'A shoe.' }]);
  });

  it('leaves out a tool that can only be called as a task', async () => {
    const supports = ['required', 'optional', 'forbidden'];
    const inputSchema = { type: 'object' };
    const tools = supports.map((taskSupport) => ({ name: taskSupport, inputSchema, execution: { taskSupport } }));
    const server = await startRawServer({ 'tools/list': () => ({ tools }) });
    const run = new AgentRun(new McpToolset(server.params()), [says('Hi.')]);
    await run.say();
    expect(run.toolNames()).toEqual(['optional', 'forbidden']);
  });

  it('returns resources and structured content of a failed tool to the model', async () => {
    const resource = { uri: 'log://1', mimeType: 'text/plain', text: 'The disk is full.' };
    const server = await startRawServer({
      'tools/call': ({ arguments: args }) => ({
        content: (args as { isEmpty?: boolean }).isEmpty ? [] : [{ type: 'resource', resource }],
        isError: true,
      }),
    });
    const run = new AgentRun(new McpToolset(server.params()), [
      callsAll(['read', {}], ['read', { isEmpty: true }]),
      says('Sorry.'),
    ]);
    await run.say();
    expect(run.responses).toEqual([
      { error: 'The tool failed.', resources: [resource] },
      { error: 'The tool failed and returned no reason.' },
    ]);
  });

  it('accepts a file with an empty type', async () => {
    const content = [
      { type: 'text', text: 'A scan.' },
      { type: 'image', mimeType: '', data: png },
    ];
    const server = await startRawServer({ 'tools/call': () => ({ content }) });
    const run = new AgentRun(new McpToolset(server.params()), [calls('read', {}), says('Done.')]);
    await run.say();
    expect(run.responses).toEqual([{ result: 'A scan.' }]);
    const parts = run.events.flatMap((event) => event.content?.parts?.[0]?.functionResponse?.parts ?? []);
    expect(parts).toEqual([{ inlineData: { mimeType: 'application/octet-stream', data: png } }]);
  });
});
