import { inputRequired } from '@modelcontextprotocol/server';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Interrupt, SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { AgentTool, LlmAgent } from '@thole/runner';
import { calls, callsAll, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionToolset } from '@thole/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { McpToolset } from '../../src/index.ts';
import { AgentRun } from './servers/agent-run.ts';
import type { HttpServer } from './servers/http-server.ts';
import { startSessionServer } from './servers/session-server.ts';
import { objectSchema, startToolServer } from './servers/tool-server.ts';

const text = (result: string): { content: [{ type: 'text'; text: string }] } => ({
  content: [{ type: 'text', text: result }],
});
const email = {
  type: 'object' as const,
  properties: { email: { type: 'string' as const, title: 'E-mail', pattern: '^(a+)+$' } },
  required: ['email'],
};
const count = { type: 'object' as const, properties: { count: { type: 'integer' as const } }, required: ['count'] };

type Handler = (context: ServerContext) => ReturnType<typeof inputRequired> | ReturnType<typeof text>;

async function modernServer(handler: Handler): Promise<HttpServer> {
  const server = await startToolServer(
    (mcp) => void mcp.registerTool('order', {}, async (context) => handler(context) as never),
    { legacy: 'reject' },
  );
  onTestFinished(() => server.close());
  return server;
}

const script = (): ConstructorParameters<typeof AgentRun>[1] => [calls('order', {}, 'c1'), says('Done.')];

describe('McpToolset questions of the newer protocol', () => {
  it('pauses the run for a question of a tool with an output schema', async () => {
    const inputRequests = { who: inputRequired.elicit({ message: 'E-mail?', requestedSchema: email }) };
    const server = await startToolServer(
      (mcp) =>
        void mcp.registerTool('order', { outputSchema: objectSchema({ n: { type: 'integer' } }) }, async ({ mcpReq }) =>
          mcpReq.inputResponses
            ? { ...text('Ordered.'), structuredContent: { n: 1 } }
            : (inputRequired({ inputRequests }) as never),
        ),
      { legacy: 'reject' },
    );
    onTestFinished(() => server.close());
    const run = new AgentRun(new McpToolset(server.params()), script());
    const [question] = await run.say();
    await run.answer(question!, { email: 'ada@example.com' });
    expect(run.responses.at(-1)).toEqual({ result: 'Ordered.', structuredContent: { n: 1 } });
  });

  it('pauses the run and continues in another process with the unchanged state (contract 28)', async () => {
    const states: unknown[] = [];
    const server = await modernServer(({ mcpReq }) => {
      const state = mcpReq.requestState<string>();
      states.push(state, mcpReq.inputResponses);
      if (state === undefined)
        return inputRequired({
          inputRequests: { who: inputRequired.elicit({ message: 'Your <b>e-mail</b>?', requestedSchema: email }) },
          requestState: 'státe-1',
        });
      if (state === 'státe-1')
        return inputRequired({
          inputRequests: {
            n: inputRequired.elicit({ message: 'How many?', requestedSchema: count }),
            m: inputRequired.elicit({ message: 'And gifts?', requestedSchema: count }),
          },
          requestState: 'state-2',
        });
      return text('Ordered.');
    });
    const sessionService: SessionService = new InMemorySessionService();
    const process = (...answers: ConstructorParameters<typeof AgentRun>[1]): AgentRun =>
      new AgentRun(new McpToolset(server.params()), answers, { sessionService });
    const first = process(calls('order', {}, 'c1'));
    const [who] = await first.say();
    expect(who).toMatchObject({
      kind: 'input',
      toolName: 'order',
      message: `${new URL(server.url).host} asks: Your &lt;b&gt;e-mail&lt;/b&gt;?`,
      responseSchema: expect.anything(),
    });
    expect(who!.responseSchema).toEqual({
      type: 'object',
      properties: { email: { type: 'string', title: 'E-mail' } },
      required: ['email'],
      additionalProperties: false,
    });
    expect(who!.expiresAt).toBeUndefined();
    const second = process();
    const open = await second.answer(who!, { email: 'ada@example.com' });
    expect(open.map(({ message }) => message)).toEqual([
      expect.stringContaining('How many?'),
      expect.stringContaining('And gifts?'),
    ]);
    const third = process(says('Done.'));
    expect(await third.answer(open[1]!, { count: 2 })).toMatchObject([{ id: open[0]!.id }]);
    expect(await process(says('Done.')).answer(open[0]!, { count: 5 })).toEqual([]);
    const accept = (content: object): object => ({ action: 'accept', content });
    expect(states).toEqual([
      ...[undefined, undefined],
      ...['státe-1', { who: accept({ email: 'ada@example.com' }) }],
      ...['state-2', { n: accept({ count: 5 }), m: accept({ count: 2 }) }],
    ]);
  });

  it('sends the refusal of the user to the server, and rejects an answer of another form', async () => {
    const seen: unknown[] = [];
    const server = await modernServer(({ mcpReq }) => {
      if (!mcpReq.inputResponses)
        return inputRequired({
          inputRequests: { who: inputRequired.elicit({ message: 'E-mail?', requestedSchema: email }) },
        });
      seen.push(mcpReq.inputResponses);
      return text('Without e-mail.');
    });
    const run = new AgentRun(new McpToolset(server.params()), script());
    const [who] = await run.say();
    await expect(run.answer(who!, { email: 7 })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    await expect(run.answer(who!, {})).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect(await run.decline(who!)).toEqual([]);
    expect(seen).toEqual([{ who: { action: 'decline' } }]);
    expect(run.responses.at(-1)).toEqual({ result: 'Without e-mail.' });
  });

  it('pauses the run of an agent that is used as a tool', async () => {
    const seen: unknown[] = [];
    const server = await modernServer(({ mcpReq }) => {
      seen.push(mcpReq.inputResponses);
      if (mcpReq.inputResponses) return text('Ordered.');
      return inputRequired({
        inputRequests: { who: inputRequired.elicit({ message: 'E-mail?', requestedSchema: email }) },
      });
    });
    const buyer = new LlmAgent({
      name: 'buyer',
      description: 'Orders.',
      model: new ScriptedLlm(calls('order', {}, 'c2'), says('It is ordered.')),
      tools: [new McpToolset(server.params())],
    });
    const agents = new FunctionToolset({ tools: [new AgentTool({ agent: buyer })] });
    const run = new AgentRun(agents, [calls('buyer', { request: 'Order it.' }, 'c1'), says('Done.')]);
    const [who] = await run.say();
    expect(who).toMatchObject({ kind: 'input', message: expect.stringContaining('E-mail?') });
    expect(await run.answer(who!, { email: 'aa' })).toEqual([]);
    expect(seen).toEqual([undefined, { who: { action: 'accept', content: { email: 'aa' } } }]);
    expect(run.responses.at(-1)).toEqual({ result: 'It is ordered.' });
  });

  it('declines a question that it cannot show', async () => {
    const seen: unknown[] = [];
    const server = await modernServer(({ mcpReq }) => {
      seen.push(mcpReq.inputResponses);
      if (mcpReq.inputResponses) return text('Done.');
      const requestedSchema = { type: 'object', properties: { a: { type: 'object' } } } as never;
      return inputRequired({
        inputRequests: { a: inputRequired.elicit({ message: 'Deep?', requestedSchema }) },
      });
    });
    const run = new AgentRun(new McpToolset(server.params()), script());
    expect(await run.say()).toEqual([]);
    expect(seen).toEqual([undefined, { a: { action: 'decline' } }]);
  });

  it('ends a call whose server requests input endlessly', async () => {
    const server = await modernServer(() => inputRequired({ requestState: 'again' }));
    const run = new AgentRun(new McpToolset(server.params()), script());
    await run.say();
    expect(run.responses).toEqual([{ error: expect.stringContaining('asked for input more than 10 times') }]);
  });
});

interface LegacyShop {
  readonly http: HttpServer;
  /** Results of the questions. */
  readonly results: unknown[];
}

async function legacyServer(): Promise<LegacyShop> {
  const results: unknown[] = [];
  const addTools = (mcp: McpServer): void => {
    mcp.registerTool('order', {}, async ({ mcpReq }) => {
      for (const message of ['E-mail?', 'Really?']) {
        const result = await mcpReq.elicitInput({ message, requestedSchema: email }, { timeout: 60_000 });
        results.push(result);
        if (result.action !== 'accept') return text(`Not ordered: ${result.action}.`);
      }
      return text('Ordered.');
    });
  };
  const { http } = await startSessionServer(addTools);
  onTestFinished(() => http.close());
  return { http, results };
}

describe('McpToolset questions of the older protocol', () => {
  it('pauses the run, and answers the call that is still open', async () => {
    const { http, results } = await legacyServer();
    const run = new AgentRun(new McpToolset(http.params()), script());
    const [first] = await run.say();
    expect(first).toMatchObject({ kind: 'input', message: expect.stringContaining('E-mail?') });
    expect(first!.expiresAt! - first!.createdAt).toBeCloseTo(300, 0);
    const [second] = await run.answer(first!, { email: 'a' });
    expect(second).toMatchObject({ message: expect.stringContaining('Really?') });
    expect(await run.answer(second!, { email: 'aa' })).toEqual([]);
    expect(results).toEqual([
      { action: 'accept', content: { email: 'a' } },
      { action: 'accept', content: { email: 'aa' } },
    ]);
    expect(run.responses.at(-1)).toEqual({ result: 'Ordered.' });
    expect(http.methods.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('declines after elicitationTimeoutMs, and returns the result to a later run', async () => {
    const { http, results } = await legacyServer();
    const runtime = new FixedRuntime();
    const run = new AgentRun(
      new McpToolset(http.params(), undefined, { runtime, elicitationTimeoutMs: 1_000 }),
      script(),
    );
    const [question] = await run.say();
    await runtime.advance(1_000);
    await expect.poll(() => results).toEqual([{ action: 'decline' }]);
    await run.answer(question!, { email: 'late' });
    expect(run.responses.at(-1)).toEqual({ result: 'Not ordered: decline.' });
  });

  it('returns an error to the model if another process receives the answer', async () => {
    const { http } = await legacyServer();
    const sessionService: SessionService = new InMemorySessionService();
    const first = new AgentRun(new McpToolset(http.params()), [calls('order', {}, 'c1')], { sessionService });
    const [question] = await first.say();
    const second = new AgentRun(new McpToolset(http.params()), [says('Again?')], { sessionService });
    await second.answer(question as Interrupt, { email: 'a' });
    expect(second.responses.at(-1)).toEqual({ error: expect.stringContaining('the call ended before the answer') });
  });

  it('declines a question while several calls are open, because it could reach another user', async () => {
    const { http, results } = await legacyServer();
    const run = new AgentRun(new McpToolset(http.params()), [callsAll(['order', {}], ['order', {}]), says('Done.')]);
    await run.say();
    expect(results).toContainEqual({ action: 'decline' });
  });

  it('ends the open call when the runner is closed', async () => {
    const { http } = await legacyServer();
    const run = new AgentRun(new McpToolset(http.params()), script());
    await run.say();
    await run.runner.close();
    expect(http.methods).toContain('notifications/cancelled');
  });
});
