import { textOf } from '@thole/core';
import type { LlmResponse, Plugin } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { calls, fails, hangs, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { LoopAgent } from '../../src/agents/loop-agent.ts';
import {
  answersIn,
  hello,
  createSetup,
  outcomeOf,
  passing,
  ref,
  rootOf,
  settle,
  stringsSchema,
  textsIn,
  toolOf,
} from '../support/llm-setup.ts';
import { agentOf, says as sayingEvent } from '../support/setup.ts';

describe('AgentTool', () => {
  it('aborts its model at the time limit of its call (contract 25)', async () => {
    let signal: AbortSignal | undefined;
    const waiting = new ScriptedLlm((request, options) => {
      signal = options.signal;
      return (hangs() as (...p: [typeof request, typeof options]) => Promise<never>)(request, options);
    });
    const inner = new LlmAgent({ name: 'inner', model: waiting });
    const model = new ScriptedLlm(calls('inner', { request: 'x' }), says('Too slow.'));
    const setup = await createSetup(rootOf(model, { tools: [new AgentTool({ agent: inner })] }));
    const completed = setup.runner.runToCompletion({ ...hello, runConfig: { toolTimeoutMs: 100 } });
    await setup.runtime.advance(100);
    expect((await completed).text).toBe('Too slow.');
    expect(signal?.aborted).toBe(true);
  });

  it('answers the call with its final text from a separate session (contract 25)', async () => {
    const inner = new ScriptedLlm(says('Ask the porter.'));
    const tools = [new AgentTool({ agent: new LlmAgent({ name: 'expert', description: 'Knows.', model: inner }) })];
    const model = new ScriptedLlm(calls('expert', { request: 'Who has the key?' }), says('The porter.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)).toEqual([['expert', { result: 'Ask the porter.' }]]);
    expect(inner.requests[0]!.contents.map(textOf)).toEqual(['Who has the key?']);
    expect(textsIn((await stored()).events).length).toBe(4);
  });

  it('answers the call with the files of its final content (contract 25)', async () => {
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
    const fileData = { mimeType: 'application/pdf', fileUri: 'gs://files/a.pdf' };
    const parts = [{ text: 'Here.' }, { inlineData }, { fileData }, { inlineData, thought: true }];
    const painter = new LlmAgent({ name: 'painter', model: new ScriptedLlm({ content: { role: 'model', parts } }) });
    const model = new ScriptedLlm(calls('painter', { request: 'A cat' }), says('Done.'));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent: painter })] }));
    await runner.runToCompletion(hello);
    expect(model.requests[1]!.contents.at(-1)!.parts![0]!.functionResponse).toMatchObject({
      response: { result: 'Here.' },
      parts: [{ inlineData }, { fileData }],
    });
  });

  it.each<[string, LlmResponse]>([
    ['no content', { finishReason: 'MAX_TOKENS' }],
    ['no parts', { content: { role: 'model', parts: [] }, finishReason: 'MAX_TOKENS' }],
    [
      'thoughts only',
      { content: { role: 'model', parts: [{ text: 'Hm', thought: true }] }, finishReason: 'MAX_TOKENS' },
    ],
  ])('answers the call with an error if its answer is cut off and has %s', async (_, answer) => {
    const tools = [new AgentTool({ agent: new LlmAgent({ name: 'expert', model: new ScriptedLlm(answer) }) })];
    const model = new ScriptedLlm(calls('expert', { request: 'Who has the key?' }), says('Unknown.'));
    const { runner } = await createSetup(rootOf(model, { tools }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)).toEqual([['expert', { error: 'expert could not answer (MAX_TOKENS).' }]]);
  });

  it('copies state without temp:, and writes state and artifacts for the caller (contract 25)', async () => {
    const seen: unknown[] = [];
    const write = toolOf('write', async (_args, context) => {
      seen.push(context.state.get('mood'), context.state.get('temp:t'));
      context.state.set('mood', 'good');
      context.state.set('user:name', 'Ann');
      context.state.set('temp:x', 1);
      context.state.delete('gone');
      await context.saveArtifact('note.txt', { text: 'hi' });
    });
    const agent = new LlmAgent({
      name: 'expert',
      model: new ScriptedLlm(calls('write'), says('Done.')),
      tools: [write],
    });
    const model = new ScriptedLlm(calls('expert', { request: 'Go.' }), says('x'));
    const { runner, stored, artifacts } = await createSetup(
      rootOf(model, { tools: [new AgentTool({ agent })] }),
      {},
      { mood: 'bad', gone: 1 },
    );
    const events = await Array.fromAsync(runner.runAsync({ ...hello, stateDelta: { 'temp:t': 1 } }));
    expect(seen).toEqual(['bad', undefined]);
    expect(events[1]!.actions).toMatchObject({
      stateDelta: { mood: 'good', 'user:name': 'Ann', gone: null },
      artifactDelta: { 'note.txt': 0 },
    });
    expect((await stored()).state).toEqual({ mood: 'good', 'user:name': 'Ann' });
    expect(await artifacts.listArtifactKeys({ appName: 'app', userId: 'ann', sessionId: 's' })).toEqual(['note.txt']);
  });

  it('validates arguments by inputSchema and the answer by outputSchema', async () => {
    const inner = new ScriptedLlm(says('{"key":"7"}'));
    const agent = new LlmAgent({
      name: 'expert',
      model: inner,
      inputSchema: stringsSchema('door'),
      outputSchema: stringsSchema('key'),
    });
    const model = new ScriptedLlm(calls('expert', { wrong: 1 }), calls('expert', { door: 'front' }), says('x'));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)).toEqual([
      ['expert', { error: 'The arguments of expert are invalid: door: expected string.' }],
      ['expert', { key: '7' }],
    ]);
    expect(textOf(inner.requests[0]!.contents[0])).toBe('{"door":"front"}');
  });

  it('declares an object for an inputSchema whose root is a reference', () => {
    const room = { type: 'object', properties: { door: { type: 'string' } } };
    const inputSchema = {
      jsonSchema: { $ref: '#/$defs/Room', $defs: { Room: room } },
      schema: passing,
    };
    const agent = new LlmAgent({ name: 'expert', model: new ScriptedLlm(), inputSchema });
    expect(new AgentTool({ agent }).declaration().parametersJsonSchema).toEqual({ ...room, $defs: { Room: room } });
  });

  it('declares no $schema, and always an object', () => {
    const jsonSchema = { $schema: 'https://json-schema.org/draft/2020-12/schema', properties: {} };
    const agent = new LlmAgent({
      name: 'expert',
      model: new ScriptedLlm(),
      inputSchema: { jsonSchema, schema: passing },
    });
    expect(new AgentTool({ agent }).declaration().parametersJsonSchema).toEqual({ type: 'object', properties: {} });
  });

  it('rejects an inputSchema that is not an object, because models call tools with objects', () => {
    const inputSchema = { jsonSchema: { type: 'array' }, schema: passing };
    const agent = new LlmAgent({ name: 'expert', model: new ScriptedLlm(), inputSchema });
    expect(() => new AgentTool({ agent })).toThrow('inputSchema of agent expert must describe an object');
  });

  it('ends the turn with its answer if skipSummarization is set', async () => {
    const agent = new LlmAgent({ name: 'expert', model: new ScriptedLlm(says('7')) });
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('expert', { request: '?' })), {
        tools: [new AgentTool({ agent, skipSummarization: true })],
      }),
    );
    expect((await Array.fromAsync(runner.runAsync(hello))).length).toBe(2);
  });

  it('shows and stores its text if skipSummarization is set, and the caller reads it once', async () => {
    const agent = new LlmAgent({ name: 'expert', model: new ScriptedLlm(says('7')) });
    const model = new ScriptedLlm(calls('expert', { request: '?' }), says('You are welcome.'));
    const tools = [new AgentTool({ agent, skipSummarization: true })];
    const { runner, stored } = await createSetup(rootOf(model, { tools, outputKey: 'answer' }));
    expect((await runner.runToCompletion(hello)).text).toBe('7');
    expect((await stored()).state).toEqual({ answer: '7' });
    await runner.runToCompletion({ ...hello, newMessage: 'Thanks.' });
    expect(model.requests[1]!.contents.map(textOf)).toEqual(['hello', '', '', 'Thanks.']);
  });

  it('answers with the last text of a loop that ended with an empty result of a tool', async () => {
    const writer = new LlmAgent({ name: 'writer', model: new ScriptedLlm(says('Draft.')) });
    const end = toolOf('end', (_args, { actions }) => {
      actions.escalate = true;
      actions.skipSummarization = true;
      return {};
    });
    const critic = new LlmAgent({ name: 'critic', model: new ScriptedLlm(calls('end')), tools: [end] });
    const loop = new LoopAgent({ name: 'loop', subAgents: [writer, critic] });
    const model = new ScriptedLlm(calls('loop', { request: '?' }), says('Done.'));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent: loop })] }));
    expect(answersIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual([['loop', { result: 'Draft.' }]]);
  });

  it.each([
    ['a text', '7', '7'],
    ['an object', { status: 'shipped' }, '{"status":"shipped"}'],
  ])('answers with the result of a tool that ended the turn: %s', async (_name, result, answer) => {
    const show = toolOf('show', (_args, { actions }) => ((actions.skipSummarization = true), result));
    const agent = new LlmAgent({ name: 'expert', model: new ScriptedLlm(calls('show')), tools: [show] });
    const model = new ScriptedLlm(calls('expert', { request: '?' }), says('Done.'));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }));
    expect(answersIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual([['expert', { result: answer }]]);
  });

  it('counts its model calls for the limit of the caller, which ends the run (contract 19)', async () => {
    const agent = new LlmAgent({
      name: 'expert',
      model: new ScriptedLlm(calls('look'), says('x')),
      tools: [toolOf('look', () => 1)],
    });
    const model = new ScriptedLlm(calls('expert', { request: '?' }), says('x'));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }));
    expect((await outcomeOf(runner.runAsync({ ...hello, runConfig: { maxLlmCalls: 2 } }))).error?.code).toBe(
      'LLM_CALL_LIMIT',
    );
  });

  it('returns an error to the calling model if its agent fails', async () => {
    const agent = new LlmAgent({ name: 'expert', model: new ScriptedLlm(fails('MODEL_OVERLOADED')) });
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('expert', { request: '?' }), says('Sorry.')), { tools: [new AgentTool({ agent })] }),
    );
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)[0]![1]).toEqual({ error: expect.stringContaining('MODEL_OVERLOADED') });
    expect(textsIn(events).at(-1)).toBe('root: Sorry.');
  });

  it('returns the state changes of steps, of context.commit and of hooks for the message (contract 25)', async () => {
    const agent = agentOf('clerk', async function* (context) {
      context.state.set('inStep', 1);
      await context.step('look', () => 'seen');
      context.state.set('committed', 2);
      await context.commit(sayingEvent(context, 'Looking.'));
      context.state.set('last', 3);
      yield sayingEvent(context, 'Done.');
    });
    const plugin: Plugin = {
      name: 'counter',
      onUserMessageCallback: async ({ invocationContext: { state } }) => {
        state.set('messages', Number(state.get('messages') ?? 0) + 1);
        return undefined;
      },
    };
    const model = new ScriptedLlm(calls('clerk', { request: 'Look.' }), says('Thanks.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }), {
      plugins: [plugin],
    });
    await runner.runToCompletion(hello);
    const { events, state } = await stored();
    expect(answersIn(events)).toEqual([['clerk', { result: 'Done.' }]]);
    expect(state).toEqual({ inStep: 1, committed: 2, last: 3, messages: 2 });
  });

  it('returns an error to the calling model if its agent waits and the app cannot pause', async () => {
    const later = toolOf('approve', () => ({ status: 'asked' }), { isLongRunning: true });
    const agent = new LlmAgent({ name: 'expert', model: new ScriptedLlm(calls('approve')), tools: [later] });
    const { runner } = await createSetup(rootOf(new ScriptedLlm()), {
      appName: undefined,
      agent: undefined,
      app: {
        name: 'app',
        rootAgent: rootOf(new ScriptedLlm(calls('expert', { request: '?' }), says('Sorry.')), {
          tools: [new AgentTool({ agent })],
        }),
        resumability: { isResumable: false },
      },
    } as never);
    const answers = answersIn(await Array.fromAsync(runner.runAsync(hello)));
    expect(answers[0]![1]['error']).toContain('waits for the result of a long-running call');
  });

  it('uses memory, artifacts and deps of the caller, and stores no session (contract 25)', async () => {
    const seen: unknown[] = [];
    const memoryService = new InMemoryMemoryService();
    await memoryService.addMemory({
      appName: 'app',
      userId: 'ann',
      memories: [{ kind: 'note', content: { parts: [{ text: 'likes the sea' }] } }],
    });
    const look = toolOf('look', async (_args, context) => {
      seen.push(
        (await context.searchMemory('sea')).memories.length,
        (await context.loadArtifact('plan.txt'))?.text,
        context.deps,
      );
    });
    const agent = new LlmAgent({ name: 'expert', model: new ScriptedLlm(calls('look'), says('Done.')), tools: [look] });
    const model = new ScriptedLlm(calls('expert', { request: 'Go.' }), says('x'));
    const { runner, artifacts, sessions } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }), {
      memoryService,
    });
    await artifacts.saveArtifact({ ...ref, filename: 'plan.txt', artifact: { text: 'Two nights.' } });
    await runner.runToCompletion({ ...hello, deps: 'database' });
    expect(seen).toEqual([1, 'Two nights.', 'database']);
    expect((await sessions.listSessions({ appName: 'app' })).total).toBe(1);
  });

  it('calls the plugins of the caller (contract 25)', async () => {
    const agentNames: string[] = [];
    const plugin: Plugin = { name: 'listener', beforeAgentCallback: ({ agent }) => void agentNames.push(agent.name) };
    const agent = new LlmAgent({ name: 'expert', model: new ScriptedLlm(says('7')) });
    const model = new ScriptedLlm(calls('expert', { request: 'Go.' }), says('x'));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }), { plugins: [plugin] });
    await runner.runToCompletion(hello);
    expect(agentNames).toEqual(['root', 'expert']);
  });

  it('does not see the history of the caller (contract 25)', async () => {
    const inner = new ScriptedLlm(says('Done.'));
    const agent = new LlmAgent({ name: 'expert', model: inner });
    const model = new ScriptedLlm(calls('expert', { request: 'Go.' }), says('x'));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }));
    await runner.runToCompletion({ ...hello, newMessage: 'something private' });
    expect(JSON.stringify(inner.requests)).not.toContain('private');
  });

  it('aborts its model when the caller is aborted (contract 25)', async () => {
    let signal: AbortSignal | undefined;
    const agent = new LlmAgent({
      name: 'expert',
      model: new ScriptedLlm(
        (request, options) => (
          (signal = options.signal),
          (hangs() as (...p: unknown[]) => Promise<never>)(request, options)
        ),
      ),
    });
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('expert', { request: '?' })), { tools: [new AgentTool({ agent })] }),
    );
    const run = runner.runAsync(hello);
    const ending = outcomeOf(run);
    await settle();
    run.abort();
    expect((await ending).error?.code).toBe('RUN_ABORTED');
    expect(signal!.aborted).toBe(true);
  });
});
