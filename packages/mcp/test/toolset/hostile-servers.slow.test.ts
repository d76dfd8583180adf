import { calls, FixedRuntime, says } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { McpToolset } from '../../src/index.ts';
import type { McpToolsetOptions, StreamableHTTPConnectionParams } from '../../src/index.ts';
import { AgentRun } from './servers/agent-run.ts';
import { HttpServer } from './servers/http-server.ts';
import { never, startRawServer } from './servers/raw-server.ts';

interface Settings {
  params?: Partial<StreamableHTTPConnectionParams>;
  options?: McpToolsetOptions;
}

function createRun(server: HttpServer, p: Settings = {}): AgentRun {
  return new AgentRun(new McpToolset(server.params(p.params), undefined, p.options), [calls('read'), says('Done.')]);
}

async function expectListError(server: HttpServer, message: string, p: Settings = {}): Promise<void> {
  const cause = expect.objectContaining({ code: 'MCP_SERVER_FAILED', message: expect.stringContaining(message) });
  await expect(createRun(server, p).say()).rejects.toEqual(expect.objectContaining({ code: 'TOOL_FAILED', cause }));
}

async function expectCallError(server: HttpServer, message: string, p: Settings = {}): Promise<void> {
  const run = createRun(server, p);
  await run.say();
  expect(run.responses).toEqual([{ error: expect.stringContaining(message) }]);
}

describe('McpToolset with a wrong list of tools', () => {
  it.each([
    ['no list', { tools: 'read' }],
    ['a tool without a name', { tools: [{ inputSchema: { type: 'object' } }] }],
    ['a name of another type', { tools: [{ name: 7, inputSchema: { type: 'object' } }] }],
    ['a schema that is not an object', { tools: [{ name: 'read', inputSchema: { type: 'string' } }] }],
    ['null', { tools: [null] }],
  ])('rejects %s', async (_, list) => {
    const server = await startRawServer({ 'tools/list': () => list });
    await expectListError(server, 'sent a result that does not have the form of the protocol');
  });

  it('names the wrong member of a list in the cause', async () => {
    const tools = [{ name: 'read', inputSchema: { type: 'object' } }, { name: 'write' }];
    const error: unknown = await createRun(await startRawServer({ 'tools/list': () => ({ tools }) }))
      .say()
      .catch((thrown: unknown) => thrown);
    const { cause } = (error as Error).cause as Error;
    expect((cause as Error).message).toMatch(/"tools",\s+1,\s+"inputSchema"/);
  });

  it('rejects a list without an end', async () => {
    let page = 0;
    const server = await startRawServer({
      'tools/list': () => ({
        tools: [{ name: `tool_${page}`, inputSchema: { type: 'object' } }],
        nextCursor: String(page++),
      }),
    });
    await expectListError(server, 'returns a list without an end');
    expect(page).toBeLessThan(100);
  });

  it('rejects more tools than maxTools', async () => {
    const tools = Array.from({ length: 6 }, (_, i) => ({ name: `t${i}`, inputSchema: { type: 'object' } }));
    const server = await startRawServer({ 'tools/list': () => ({ tools }) });
    await expectListError(server, 'has 6 tools, more than maxTools (5)', { options: { maxTools: 5 } });
  });

  it('rejects a list that is much too long, also with toolFilter', async () => {
    const tools = Array.from({ length: 10_001 }, (_, i) => ({ name: `t${i}`, inputSchema: { type: 'object' } }));
    const server = await startRawServer({ 'tools/list': () => ({ tools }) });
    const run = new AgentRun(new McpToolset(server.params(), ['t1']), [says('Done.')]);
    const cause = expect.objectContaining({ message: expect.stringContaining('lists more than 10000 tools') });
    await expect(run.say()).rejects.toEqual(expect.objectContaining({ cause }));
  });

  it('rejects a schema that is too large', async () => {
    const inputSchema = { type: 'object', properties: { a: { enum: ['x'.repeat(70_000)] } } };
    const server = await startRawServer({ 'tools/list': () => ({ tools: [{ name: 'read', inputSchema }] }) });
    const run = createRun(server);
    await expect(run.say()).rejects.toThrow(/has a tool "read" whose schema has more than 65536 bytes/);
  });

  it('stops waiting for a list after the time limit', async () => {
    const runtime = new FixedRuntime();
    const server = await startRawServer({ 'tools/list': () => never() });
    const failed = expectListError(server, 'did not list its tools in time', {
      params: { timeout: 30_000 },
      options: { runtime },
    });
    await expect.poll(() => server.methods.includes('tools/list')).toBe(true);
    await runtime.advance(30_000);
    await failed;
  });

  it('stops waiting for a server that does not become ready', async () => {
    const runtime = new FixedRuntime();
    const server = await HttpServer.start(() => never());
    onTestFinished(() => server.close());
    const failed = expectListError(server, 'was not ready in 30000 ms', {
      params: { timeout: 30_000 },
      options: { runtime },
    });
    await expect.poll(() => server.requests.length).toBe(1);
    await runtime.advance(30_000);
    await failed;
  });

  it.each([
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'MCP server'],
    [
      'text that is not JSON',
      () => new Response('{', { headers: { 'content-type': 'application/json' } }),
      'MCP server',
    ],
    ['another message', () => Response.json({ hello: 1 }), 'form of the protocol'],
  ])('rejects %s instead of a message', async (_, reply, message) => {
    await expectListError(await startRawServer({ 'tools/list': reply }), message);
  });
});

describe('McpToolset with wrong answers to calls', () => {
  it.each([
    ['content of another type', { content: 'text' }],
    ['an unknown kind of content', { content: [{ type: 'video', data: 'x' }] }],
    ['an image without data', { content: [{ type: 'image' }] }],
  ])('returns an error to the model for %s', async (_, result) => {
    const server = await startRawServer({ 'tools/call': () => result });
    await expectCallError(server, 'sent a result that does not have the form of the protocol');
  });

  it('returns an error instead of a result that is larger than maxResultBytes', async () => {
    const server = await startRawServer({
      'tools/call': () => ({ content: [{ type: 'text', text: 'x'.repeat(5_000) }] }),
    });
    await expectCallError(server, 'which is more than the limit of 1000', { options: { maxResultBytes: 1_000 } });
  });

  it.each([
    ['JSON', 'application/json', '{"x":"'],
    ['a stream of events', 'text/event-stream', 'data: '],
  ])('stops reading %s that never ends', async (_, contentType, start) => {
    let sent = 0;
    const server = await startRawServer({
      'tools/call': () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
            pull(controller) {
              sent += 65_536;
              controller.enqueue(new Uint8Array(65_536).fill(120));
            },
          }),
          { headers: { 'content-type': contentType } },
        ),
    });
    await expectCallError(server, 'A message of the MCP server has more than', { options: { maxResultBytes: 1_000 } });
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it.each([
    ['ends', ': hello\n\n', false],
    ['breaks', 'data: {"jsonrpc":', true],
    ['breaks and cannot be continued', 'retry: 10\nid: 1\ndata:\n\n', true],
  ])('ends a call whose stream %s before the result', async (_, start, isBroken) => {
    const headers = { 'content-type': 'text/event-stream' };
    const server = await startRawServer({
      'tools/call': () => {
        const body = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
          pull: (controller) => (isBroken ? controller.error(new Error('broken')) : controller.close()),
        });
        return new Response(body, { headers });
      },
    });
    await expectCallError(server, 'ended its response before the result of read');
  });

  it('reads a long stream of short events', async () => {
    const event = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(60_000) } })}\n\n`;
    const server = await startRawServer({
      'tools/call': async (_params, request) => {
        const { id } = (await request.json()) as { id: number };
        const result = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'Done.' }] } };
        const body = event.repeat(40) + `data: ${JSON.stringify(result)}\r\n\r\n`;
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      },
    });
    const run = createRun(server, { options: { maxResultBytes: 1_000 } });
    await run.say();
    expect(run.responses).toEqual([{ result: 'Done.' }]);
  });

  it('ends calls after callTimeoutMs without progress, and after maxCallTimeMs with progress', async () => {
    const runtime = new FixedRuntime();
    let report: (progress: number) => void = () => undefined;
    const server = await startRawServer({
      'tools/call': ({ _meta }) => {
        const { progressToken } = _meta as { progressToken: number };
        const body = new ReadableStream({
          start(controller) {
            report = (progress) => {
              const params = { progressToken, progress, total: 9 };
              const message = { jsonrpc: '2.0', method: 'notifications/progress', params };
              controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(message)}\n\n`));
            };
          },
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      },
    });
    const options = { runtime, callTimeoutMs: 1_000, maxCallTimeMs: 2_500 };
    const silent = expectCallError(server, 'did not answer the call of read in 1000 ms', { options });
    await expect.poll(() => server.methods.includes('tools/call')).toBe(true);
    await runtime.advance(1_000);
    await silent;

    const run = createRun(server, { options });
    const finished = run.say();
    await expect.poll(() => server.methods.filter((method) => method === 'tools/call')).toHaveLength(2);
    const progressTexts = (): unknown[] =>
      run.events.flatMap(({ customMetadata }) => customMetadata?.['progress'] ?? []);
    for (let i = 1; i <= 2; i++) {
      await runtime.advance(900);
      report(i);
      await expect.poll(progressTexts).toHaveLength(i);
    }
    await runtime.advance(700);
    await finished;
    expect(progressTexts()).toEqual(['1 of 9', '2 of 9']);
    expect(run.responses).toEqual([{ error: expect.stringContaining('did not answer the call of read in 2500 ms') }]);
  });

  it.each([
    ['', {}],
    [' because of a missing scope', { 'www-authenticate': 'Bearer error="insufficient_scope", scope="x"' }],
  ])('reports that the server denied access%s', async (_, headers: { [name: string]: string }) => {
    const server = await startRawServer({ 'tools/call': () => new Response(null, { status: 403, headers }) });
    await expectCallError(server, 'denied access (status 403). Check the rights of the user and auth.scopes');
  });

  it("returns the server's message about wrong arguments to the model, shortened", async () => {
    const error = { code: -32_602, message: `item is missing ${'x'.repeat(10_000)}` };
    const server = await startRawServer({
      'tools/call': async (_params, request) => {
        const { id } = (await request.json()) as { id: number };
        return Response.json({ jsonrpc: '2.0', id, error });
      },
    });
    const run = createRun(server);
    await run.say();
    const [{ error: text }] = run.responses as [{ error: string }];
    expect(text).toContain('item is missing');
    expect(text.length).toBeLessThan(4_100);
  });
});

describe('McpToolset addresses', () => {
  it('follows no redirect to another host, and sends it no headers', async () => {
    const other = await HttpServer.start(() => Response.json({}));
    onTestFinished(() => other.close());
    const location = other.url.replace('127.0.0.1', 'localhost');
    const server = await HttpServer.start(
      () => new Response(null, { status: 307, headers: { location: `${location}/mcp` } }),
    );
    onTestFinished(() => server.close());
    const params = { header: { authorization: 'Bearer secret' }, privateHosts: ['127.0.0.1', 'localhost'] };
    await expectListError(server, `redirects to ${new URL(location).host}. Redirects to other hosts are not followed`, {
      params,
    });
    expect(other.requests).toEqual([]);
  });

  it('sends nothing to a host whose name has a private address', async () => {
    const server = await startRawServer({});
    const url = server.url.replace('http://127.0.0.1', 'https://localhost');
    await expectListError(server, 'The host "localhost" has a private address', { params: { url, privateHosts: [] } });
    expect(server.requests).toEqual([]);
  });
});

describe('McpToolset cancellation', () => {
  it('ends the call at the server when the run is aborted', async () => {
    let aborted = false;
    const server = await startRawServer({
      'tools/call': (_params, request) => {
        request.signal.addEventListener('abort', () => (aborted = true));
        return never();
      },
    });
    const run = createRun(server);
    const activeRun = run.runner.runAsync({ userId: 'ada', sessionId: 's', newMessage: 'Hello.' });
    const ended = activeRun.result;
    await expect.poll(() => server.methods.includes('tools/call')).toBe(true);
    activeRun.abort();
    expect(await ended).toMatchObject({ status: 'failed', error: { code: 'RUN_ABORTED' } });
    await expect.poll(() => server.methods.includes('notifications/cancelled')).toBe(true);
    expect(aborted).toBe(false);
    await run.runner.close();
    await expect.poll(() => aborted).toBe(true);
  });
});
