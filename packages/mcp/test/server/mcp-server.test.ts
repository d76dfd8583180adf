import { setTimeout } from 'node:timers/promises';
import { calls, fails, hangs, says, ScriptedLlm, streams } from '@thole/testing';
import { exitLoopTool, FunctionTool, jsonSchema } from '@thole/tools';
import { AgentTool, LlmAgent, LoopAgent, Runner } from '@thole/runner';
import { InMemorySessionService } from '@thole/mem-services';
import type { Event, Toolset } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mcpServer } from '@thole/mcp/server';
import { connectHttp, connectStreams, eras, serveClerk, textOfResult } from './support/setup.ts';

const ask = { name: 'clerk', arguments: { request: 'Where is my order?' } };

describe.each(eras)('mcpServer (%s)', (era) => {
  it('lists the served agents with their descriptions and input schemas', async () => {
    const { server } = serveClerk([]);
    const client = await connectHttp(server, { era });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      { name: 'clerk', description: 'Knows the shop.', inputSchema: { type: 'object', required: ['request'] } },
    ]);
    expect(client.getServerVersion()).toMatchObject({ name: 'shop', version: '1.0.0' });
  });

  it('answers a call with the text of the agent, and stores it in a new session', async () => {
    const { server, sessionService } = serveClerk([says('On its way.')]);
    const client = await connectHttp(server, { era });
    const result = await client.callTool(ask);
    expect(result.isError).toBeFalsy();
    expect(textOfResult(result)).toBe('On its way.');
    const { sessionId } = result._meta as { sessionId: string };
    const session = await sessionService.getSession({ appName: 'shop', userId: 'user', sessionId });
    expect(session?.events.map(({ author }) => author)).toEqual(['user', 'clerk']);
  });

  it('continues the session that _meta names, and creates it at its first use', async () => {
    const { server, model } = serveClerk([says('One.'), says('Two.'), says('Three.')]);
    const client = await connectHttp(server, { era });
    const first = await client.callTool({ ...ask, _meta: { sessionId: 's1' } });
    await client.callTool({ ...ask, _meta: { sessionId: 's1' } });
    await client.callTool(ask);
    expect(first._meta).toMatchObject({ sessionId: 's1' });
    expect(model.requests.map(({ contents }) => contents.length)).toEqual([1, 3, 1]);
  });

  it('sends pieces of text and names of tools to a client that requests progress', async () => {
    const tools = [new FunctionTool({ name: 'look_up', description: 'd', execute: () => 'found' })];
    const { server } = serveClerk([calls('look_up'), streams('On ', 'its ', 'way.')], { agent: { tools } });
    const client = await connectHttp(server, { era });
    const notes: unknown[] = [];
    const result = await client.callTool(ask, {
      onprogress: ({ message, progress }) => notes.push([progress, message]),
    });
    expect(textOfResult(result)).toBe('On its way.');
    expect(notes).toEqual([
      [1, 'Calling look_up'],
      [2, 'On '],
      [3, 'its '],
      [4, 'way.'],
    ]);
  });

  it('rejects an unknown tool and arguments of the wrong type', async () => {
    const { server, model } = serveClerk([]);
    const client = await connectHttp(server, { era });
    await expect(client.callTool({ ...ask, name: 'baker' })).rejects.toThrow(/baker not found/);
    for (const name of ['constructor', '__proto__']) await expect(client.callTool({ ...ask, name })).rejects.toThrow();
    for (const args of [{}, { request: 7 }, { request: '' }, { request: ['x'] }]) {
      const result = await client.callTool({ name: 'clerk', arguments: args });
      expect(result.isError).toBe(true);
      expect(textOfResult(result)).toMatch(/request must be a string/);
    }
    expect(model.requests).toEqual([]);
  });

  it('rejects a session id of the wrong type before the model is called', async () => {
    const { server, model } = serveClerk([]);
    const client = await connectHttp(server, { era });
    for (const sessionId of [7, '', 'x'.repeat(600)]) {
      const result = await client.callTool({ ...ask, _meta: { sessionId } });
      expect(textOfResult(result)).toMatch(/_meta\.sessionId must/);
    }
    expect(model.requests).toEqual([]);
  });

  it('validates arguments against the input schema of the agent, and passes them as JSON', async () => {
    const inputSchema = jsonSchema({
      type: 'object',
      properties: { order: { type: 'integer' } },
      required: ['order'],
    });
    const { server, model } = serveClerk([says('Shipped.')], { agent: { inputSchema } });
    const client = await connectHttp(server, { era });
    const wrong = await client.callTool({ name: 'clerk', arguments: { order: 'x' } });
    expect(wrong.isError).toBe(true);
    await client.callTool({ name: 'clerk', arguments: { order: 7 } });
    expect(model.requests.map(({ contents }) => contents[0]?.parts)).toEqual([[{ text: '{"order":7}' }]]);
  });

  it('lists the members of schemas whose root is a $ref', async () => {
    const $defs = { Order: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] } };
    const schema = jsonSchema({ $ref: '#/$defs/Order', $defs });
    const { server } = serveClerk([says('{"order":7}')], { agent: { inputSchema: schema, outputSchema: schema } });
    const client = await connectHttp(server, { era });
    const { tools } = await client.listTools();
    for (const listed of [tools[0]?.inputSchema, tools[0]?.outputSchema]) {
      expect(listed).toMatchObject($defs.Order);
      expect(listed).not.toHaveProperty('$ref');
    }
    const result = await client.callTool({ name: 'clerk', arguments: { order: 7 } });
    expect(result.structuredContent).toEqual({ order: 7 });
  });

  it('returns the object of an agent with an output schema, and never its unchecked text', async () => {
    const outputSchema = jsonSchema({
      type: 'object',
      properties: { status: { type: 'string' } },
      required: ['status'],
    });
    const { server } = serveClerk([streams('{"status":', '"shipped"}')], { agent: { outputSchema } });
    const client = await connectHttp(server, { era });
    const notes: unknown[] = [];
    const result = await client.callTool(ask, { onprogress: ({ message }) => notes.push(message) });
    expect(result.structuredContent).toEqual({ status: 'shipped' });
    expect(notes).toEqual([]);
  });

  it('returns transformed values of an output schema, and lists it only if it can be written', async () => {
    const cases = [
      { schema: z.object({ count: z.string().transform(Number) }), listed: false },
      { schema: z.object({ count: z.string().transform(Number).pipe(z.number()) }), listed: true },
    ];
    for (const { schema, listed } of cases) {
      const { server } = serveClerk([says('{"count":"7"}')], { agent: { outputSchema: schema } });
      const client = await connectHttp(server, { era });
      const { tools } = await client.listTools();
      expect(tools[0]?.outputSchema !== undefined).toBe(listed);
      const result = await client.callTool(ask);
      expect(result.isError).toBeFalsy();
      expect(result.structuredContent).toEqual({ count: 7 });
    }
  });

  it('returns images, audio and files of an answer', async () => {
    const parts = [
      { text: 'Thinking.', thought: true },
      { text: 'He' },
      { text: 're:' },
      { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
      { inlineData: { mimeType: 'audio/wav', data: 'aGk=' } },
      { inlineData: { mimeType: 'application/pdf', data: 'aGk=', displayName: 'bill 1' } },
      { fileData: { fileUri: 'https://example.com/a.txt', mimeType: 'text/plain' } },
    ];
    const { server } = serveClerk([{ content: { role: 'model', parts }, finishReason: 'STOP' }]);
    const client = await connectHttp(server, { era });
    const { content } = await client.callTool(ask);
    expect(content).toEqual([
      { type: 'text', text: 'Here:' },
      { type: 'image', mimeType: 'image/png', data: 'aGk=' },
      { type: 'audio', mimeType: 'audio/wav', data: 'aGk=' },
      { type: 'resource', resource: { uri: 'answer:/bill%201', mimeType: 'application/pdf', blob: 'aGk=' } },
      {
        type: 'resource_link',
        uri: 'https://example.com/a.txt',
        name: 'https://example.com/a.txt',
        mimeType: 'text/plain',
      },
    ]);
  });

  it('returns base64url data as standard base64, and a text for data that is not base64', async () => {
    const parts = ['_-8', '!'].map((data) => ({ inlineData: { mimeType: 'image/png', data } }));
    const { server } = serveClerk([{ content: { role: 'model', parts }, finishReason: 'STOP' }]);
    const { content } = await (await connectHttp(server, { era })).callTool(ask);
    expect(content).toEqual([
      { type: 'image', mimeType: 'image/png', data: '/+8=' },
      { type: 'text', text: '[A file of type image/png is not shown: its data is not base64.]' },
    ]);
  });

  it('returns the last text of a loop, and the result of a tool that is the answer', async () => {
    const look = new FunctionTool({
      name: 'look_up',
      description: 'd',
      execute: (_args, { actions }) => {
        actions.skipSummarization = true;
        return { status: 'shipped' };
      },
    });
    const writer = new LlmAgent({
      name: 'writer',
      model: new ScriptedLlm(says('Draft.'), calls('exit_loop')),
      tools: [exitLoopTool()],
    });
    const loop = new LoopAgent({ name: 'loop', subAgents: [writer] });
    const { server } = serveClerk([calls('look_up')], {
      agent: { tools: [look], subAgents: [loop] },
      options: { agents: ['loop', 'clerk'] },
    });
    const client = await connectHttp(server, { era });
    expect(textOfResult(await client.callTool({ ...ask, name: 'loop' }))).toBe('Draft.');
    expect(textOfResult(await client.callTool(ask))).toBe('{"status":"shipped"}');
  });

  it('returns the answer of an agent tool with skipSummarization once', async () => {
    const expert = new LlmAgent({ name: 'expert', model: new ScriptedLlm(says('Shipped.')) });
    const tools = [new AgentTool({ agent: expert, skipSummarization: true })];
    const { server } = serveClerk([calls('expert', { request: '?' })], { agent: { tools } });
    const client = await connectHttp(server, { era });
    expect(textOfResult(await client.callTool(ask))).toBe('Shipped.');
  });

  it('hides the message of an error, and logs it once', async () => {
    const { server, logged } = serveClerk([fails(new Error('postgres://secret@host is down'))]);
    const client = await connectHttp(server, { era });
    const result = await client.callTool(ask);
    expect(result.isError).toBe(true);
    expect(textOfResult(result)).toMatch(/^clerk could not answer \(\w+\)\.$/);
    expect(JSON.stringify(result)).not.toContain('secret');
    const errors = logged.filter(([, message]) => message === 'A call of an agent failed.');
    expect(errors).toMatchObject([['error', expect.anything(), { agent: 'clerk', userId: 'user' }]]);
    expect(JSON.stringify(errors)).toContain('postgres');
  });

  it('names the session of a failed call, so that the client can continue it', async () => {
    const { server, model } = serveClerk([fails(new Error('Down.')), says('Up.')]);
    const client = await connectHttp(server, { era });
    const { _meta, isError } = await client.callTool(ask);
    const { sessionId } = _meta as { sessionId: string };
    expect([isError, sessionId]).toEqual([true, expect.any(String)]);
    await client.callTool({ ...ask, _meta: { sessionId } });
    expect(model.requests.map(({ contents }) => contents.length)).toEqual([1, 2]);
  });

  it('returns a refusal of the model as an error with its code', async () => {
    const { server } = serveClerk([{ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' }]);
    const client = await connectHttp(server, { era });
    const result = await client.callTool(ask);
    expect([result.isError, textOfResult(result)]).toEqual([true, 'clerk could not answer (MODEL_BLOCKED).']);
  });

  it.each(['http', 'streams'] as const)(
    'ends the run when the client cancels its call or disconnects (%s)',
    async (kind) => {
      let modelSignal: AbortSignal | undefined;
      const started = Promise.withResolvers<void>();
      const { server, logged } = serveClerk([
        (request, options) => {
          modelSignal = options.signal;
          started.resolve();
          return (hangs() as (...p: [typeof request, typeof options]) => Promise<never>)(request, options);
        },
      ]);
      const client =
        kind === 'http' ? await connectHttp(server, { era }) : (await connectStreams(server, { era })).client;
      const abort = new AbortController();
      const result = client.callTool(ask, { signal: abort.signal }).catch((error: unknown) => error);
      await started.promise;
      // Over HTTP, clients of the older protocol can only leave: nothing relates their cancellation to a call.
      if (kind === 'http' && era === 'legacy') await client.close();
      else abort.abort();
      expect(await result).toBeInstanceOf(Error);
      await expect.poll(() => modelSignal?.aborted).toBe(true);
      await expect.poll(() => logged.map(([level]) => level)).toContain('debug');
      expect(logged.filter(([level]) => level === 'error')).toEqual([]);
    },
  );

  it('limits the number of active calls', async () => {
    const { server, model } = serveClerk([hangs()], { options: { limits: { concurrentCalls: 1 } } });
    const client = await connectHttp(server, { era });
    const abort = new AbortController();
    const first = client.callTool(ask, { signal: abort.signal });
    await expect.poll(() => model.requests.length).toBe(1);
    const second = await client.callTool(ask);
    expect([second.isError, textOfResult(second)]).toEqual([true, 'The server is busy. Call the tool again later.']);
    abort.abort();
    await expect(first).rejects.toThrow();
  });

  it('ends active calls when it is closed, and answers later requests with 503', async () => {
    const { server, model } = serveClerk([hangs()]);
    const client = await connectHttp(server, { era });
    const call = client.callTool(ask).catch((error: unknown) => error);
    await expect.poll(() => model.requests.length).toBe(1);
    await server.close();
    await call;
    await expect(client.callTool(ask)).rejects.toThrow(/closed/);
    await expect(server.connectStdio()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('rejects unknown options of connectStdio (contract 42)', async () => {
    const { server } = serveClerk([]);
    await expect(server.connectStdio({ userID: 'ann' } as never)).rejects.toThrow(
      'connectStdio has no option userID. Did you mean userId?',
    );
  });

  it('closes a stream after a message over the limit, and logs the reason', async () => {
    const { server, model, logged } = serveClerk([], { options: { limits: { bodyBytes: 10_000 } } });
    const { client, closed } = await connectStreams(server, { era });
    const call = client.callTool({ name: 'clerk', arguments: { request: 'x'.repeat(20_000) } });
    const failed = expect(call).rejects.toThrow();
    await closed;
    await client.close();
    await failed;
    expect(model.requests).toEqual([]);
    expect(logged).toContainEqual(['warn', expect.stringContaining('limits.bodyBytes'), { bodyBytes: 10_000 }]);
  });

  it('serves a client over streams until the client closes them', async () => {
    const { server, sessionService } = serveClerk([says('On its way.')]);
    const { client, closed, toServer } = await connectStreams(server, { era, userId: 'ada' });
    const result = await client.callTool(ask);
    expect(textOfResult(result)).toBe('On its way.');
    const { sessions } = await sessionService.listSessions({ appName: 'shop', userId: 'ada' });
    expect(sessions.length).toBe(1);
    toServer.end();
    await closed;
  });
});

describe('mcpServer', () => {
  it('serves only the agents that are listed, each with its own runs', async () => {
    const baker = new LlmAgent({ name: 'baker', model: new ScriptedLlm(says('Bread.')) });
    const thief = new LlmAgent({ name: 'thief', model: new ScriptedLlm() });
    const { server } = serveClerk([says('Shoes.')], {
      agent: { subAgents: [baker, thief] },
      options: { agents: ['baker', 'clerk'] },
    });
    const client = await connectHttp(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['baker', 'clerk']);
    expect(textOfResult(await client.callTool({ ...ask, name: 'baker' }))).toBe('Bread.');
    expect(textOfResult(await client.callTool(ask))).toBe('Shoes.');
    await expect(client.callTool({ ...ask, name: 'thief' })).rejects.toThrow(/not found/);
  });

  it('serves the root agent of a Runner, which it does not close', async () => {
    const agent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(says('One.'), says('Two.')) });
    const runner = new Runner({ appName: 'shop', agent, sessionService: new InMemorySessionService() });
    const server = mcpServer(runner, { agents: ['clerk'] });
    const client = await connectHttp(server);
    expect(textOfResult(await client.callTool({ ...ask, _meta: { sessionId: 's1' } }))).toBe('One.');
    await server.close();
    expect((await runner.runToCompletion({ userId: 'user', sessionId: 's1', newMessage: 'x' })).text).toBe('Two.');
    await runner.close();
  });

  it('closes toolsets of its App and ends all calls before close resolves', async () => {
    let closed = 0;
    const toolset: Toolset = { getTools: async () => [], close: async () => void closed++ };
    const { server, model, sessionService } = serveClerk([hangs()], { agent: { tools: [toolset] } });
    const client = await connectHttp(server);
    const call = client.callTool({ ...ask, _meta: { sessionId: 's1' } }).catch((error: unknown) => error);
    await expect.poll(() => model.requests.length).toBe(1);
    await server.close();
    expect(closed).toBe(1);
    const session = await sessionService.getSession({ appName: 'shop', userId: 'user', sessionId: 's1' });
    expect(session?.events.at(-1)?.errorCode).toBe('RUN_ABORTED');
    await call;
  });

  it('ends all calls of a Runner before close resolves', async () => {
    const model = new ScriptedLlm(hangs());
    const agent = new LlmAgent({ name: 'clerk', model });
    class SlowSessions extends InMemorySessionService {
      override async appendEvent(p: Parameters<InMemorySessionService['appendEvent']>[0]): Promise<Event> {
        await setTimeout(20);
        return super.appendEvent(p);
      }
    }
    const sessionService = new SlowSessions();
    const runner = new Runner({ appName: 'shop', agent, sessionService });
    const server = mcpServer(runner, { agents: ['clerk'] });
    const client = await connectHttp(server);
    const call = client.callTool({ ...ask, _meta: { sessionId: 's1' } }).catch((error: unknown) => error);
    await expect.poll(() => model.requests.length).toBe(1);
    await server.close();
    const session = await sessionService.getSession({ appName: 'shop', userId: 'user', sessionId: 's1' });
    expect(session?.events.at(-1)?.errorCode).toBe('RUN_ABORTED');
    await call;
    await runner.close();
  });

  it.each([
    ['deps', ({ userId }: { userId: string }) => ({ tenant: userId })],
    ['a promise of deps', async ({ userId }: { userId: string }) => ({ tenant: userId })],
  ])('passes %s of the caller to tools', async (_, deps) => {
    const seen: unknown[] = [];
    const tools = [
      new FunctionTool({
        name: 'look_up',
        description: 'd',
        execute: (_args, context) => void seen.push(context.deps),
      }),
    ];
    const { server } = serveClerk([calls('look_up'), says('Done.')], { agent: { tools }, options: { deps } });
    await (await connectHttp(server)).callTool(ask);
    expect(seen).toEqual([{ tenant: 'user' }]);
  });

  it('rejects options that are not valid', () => {
    const rootAgent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm() });
    const app = { name: 'shop', rootAgent };
    const sessionService = new InMemorySessionService();
    const codeOf = (create: () => unknown): unknown => {
      try {
        return create();
      } catch (error) {
        return [(error as { code: string }).code, (error as Error).message];
      }
    };
    const wrong = (options: object, subject: object = app): unknown =>
      codeOf(() => mcpServer(subject as typeof app, { agents: ['clerk'], sessionService, ...options }));
    const invalid = (message: RegExp): unknown => ['INVALID_INPUT', expect.stringMatching(message)];
    expect(wrong({ agents: [] })).toEqual(invalid(/^agents must be a list of names/));
    expect(wrong({ agents: ['clerc'] })).toEqual(invalid(/no agent clerc\. Did you mean clerk/));
    expect(wrong({ agents: ['clerk', 'clerk'] })).toEqual([
      'DUPLICATE_NAME',
      'agents must name each agent once. Remove the second clerk.',
    ]);
    expect(wrong({ sessionService: undefined })).toEqual(invalid(/^sessionService must be/));
    expect(wrong({ sessionservice: 1 })).toEqual(invalid(/no option sessionservice/));
    expect(wrong({ limits: { bodyBytes: 0 } })).toEqual(invalid(/limits\.bodyBytes/));
    expect(wrong({ limits: { bodies: 1 } })).toEqual(invalid(/bodies/));
    expect(wrong({ authorize: true })).toEqual(invalid(/^authorize must be a function/));
    expect(wrong({ allowedHosts: 'localhost' })).toEqual(invalid(/^allowedHosts must be a list/));
    expect(wrong({ version: 2 })).toEqual(invalid(/^version must be a string/));
    const runner = new Runner({ app, sessionService });
    expect(wrong({}, runner)).toEqual(invalid(/leave out sessionService/));
    expect(wrong({ agents: ['baker'], sessionService: undefined }, runner)).toEqual(invalid(/serves its root agent/));
    const umlaut = { name: 'shop', rootAgent: new LlmAgent({ name: 'bäcker', model: new ScriptedLlm() }) };
    expect(wrong({ agents: ['bäcker'] }, umlaut)).toEqual(invalid(/ASCII/));
    for (const schema of [{ type: 'array' }, { $ref: '#/$defs/List', $defs: { List: { type: 'array' } } }]) {
      const list = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(), inputSchema: jsonSchema(schema) });
      expect(wrong({}, { name: 'shop', rootAgent: list })).toEqual([
        'SCHEMA_UNSUPPORTED',
        expect.stringContaining('must describe an object'),
      ]);
    }
  });
});
