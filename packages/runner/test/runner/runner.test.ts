import { turnId } from '@thole/core/kit';
import type { Event, Part, Plugin, Tool, Toolset } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { calls, hangs, ignores, says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { agentOf, hello, createSetup, ref, says, saying, settle, textsIn } from '../support/setup.ts';
import { outcomeOf } from '../support/llm-setup.ts';

const file: Part = { inlineData: { mimeType: 'text/plain', data: 'aGk=' } };
const user = { appName: 'app', userId: 'ann' };

describe('Runner.runEphemeral', () => {
  it('stores no session and only reads memory', async () => {
    const memoryService = new InMemoryMemoryService();
    await memoryService.addMemory({
      ...user,
      memories: [{ kind: 'note', content: { parts: [{ text: 'likes tea' }] } }],
    });
    const seen: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      const { memories } = await context.searchMemory('tea');
      seen.push(memories.length);
      await context.addSessionToMemory();
      await expect(context.addMemory('likes coffee')).rejects.toMatchObject({ code: 'MEMORY_NOT_CONFIGURED' });
      await expect(context.saveArtifact('a', file)).rejects.toMatchObject({ code: 'ARTIFACT_NOT_CONFIGURED' });
      context.state.set('user:kept', 1);
      yield says(context, 'fine');
    });
    const { runner, service } = await createSetup(agent, {
      memoryService,
      artifactService: new InMemoryArtifactService(),
    });
    const run = runner.runEphemeral({ userId: 'ann', newMessage: 'hello' });
    expect(textsIn(await Array.fromAsync(run))).toEqual(['fine']);
    expect(seen).toEqual([1]);
    expect((await service.listSessions(user)).total).toBe(1);
    expect(await service.getUserState(user)).toEqual({});
    expect((await memoryService.listMemories(user)).memories).toHaveLength(1);
  });

  it('ends at timeLimitMs', async () => {
    const { runner, runtime } = await createSetup(new LlmAgent({ name: 'root', model: new ScriptedLlm(ignores()) }));
    const reading = Array.fromAsync(
      runner.runEphemeral({ userId: 'ann', newMessage: 'hello', runConfig: { timeLimitMs: 100 } }),
    );
    reading.catch(() => {});
    await settle();
    await runtime.advance(101);
    await expect(reading).rejects.toMatchObject({ code: 'RUN_TIME_LIMIT' });
  });

  it('ends after maxLlmCalls', async () => {
    const model = new ScriptedLlm(calls('none'), answers('fine'));
    const { runner } = await createSetup(new LlmAgent({ name: 'root', model }));
    const run = runner.runEphemeral({ userId: 'ann', newMessage: 'hello', runConfig: { maxLlmCalls: 1 } });
    expect((await outcomeOf(run)).error?.code).toBe('LLM_CALL_LIMIT');
    expect(model.requests).toHaveLength(1);
  });
});

describe('Runner', () => {
  it('throws for invalid options and agents, and names them', () => {
    const sessionService = new InMemorySessionService();
    const agent = saying('root', 'x');
    const create = (options: object) => () =>
      new Runner({ appName: 'app', agent, sessionService, ...options } as never);
    expect(create({ appName: '' })).toThrow(/appName must not be empty/);
    expect(create({ sessionService: {} })).toThrow(/sessionService must have the method createSession/);
    expect(create({ speed: 1 })).toThrow(/no option speed/);
    expect(create({ app: { name: 'app', rootAgent: agent, speed: {} } })).toThrow(/App has no option speed/);
    expect(create({ plugins: [{ name: 'a' }, { name: 'a' }] })).toThrow(/Two plugins have the name "a"/);
    expect(create({ concurrency: { policy: 'wait' } })).toThrow(/concurrency.policy/);
    expect(create({ agent: saying('user', 'x') })).toThrow(/must not be called 'user'/);
    expect(create({ agent: { ...agent, subAgents: [saying('a'), saying('a')] } })).toThrow(/Two agents are called a/);
  });

  it('accepts an App instead of its parts', async () => {
    const service = new InMemorySessionService();
    await service.createSession(ref);
    const runner = new Runner({ app: { name: 'app', rootAgent: saying('root', 'fine') }, sessionService: service });
    expect((await runner.runToCompletion(hello)).text).toBe('fine');
  });

  it('keeps the agent of an active run when another agent is set', async () => {
    const { runner, stored } = await createSetup(saying('old', 'one', 'two'));
    const run = runner.runAsync(hello);
    await run.next();
    runner.agent = saying('new', 'three');
    await Array.fromAsync(run);
    await runner.runToCompletion(hello);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'two', 'hello', 'three']);
  });

  it('resolves idle() when the last run has ended', async () => {
    const { runner } = await createSetup(saying('root', 'one'));
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    await runner.idle();
    expect(textsIn(await Array.fromAsync(run))).toEqual(['one']);
  });

  it('logs the stack of a plugin whose close fails', async () => {
    const close = (): Promise<void> => Promise.reject(new Error('still open'));
    const { runner, runtime } = await createSetup(saying('root', 'one'), { plugins: [{ name: 'p', close }] });
    await runner.close();
    expect(runtime.logs).toMatchObject([{ level: 'error', fields: { error: 'Error: still open' } }]);
    expect(runtime.logs[0]!.fields!['stack']).toContain('runner.test.ts');
  });

  it('stops its runs when it is closed, then closes toolsets and plugins once (contract 24)', async () => {
    const closed: string[] = [];
    const toolset: Toolset = { getTools: async () => [], close: async () => void closed.push('toolset') };
    const plugin: Plugin = {
      name: 'listener',
      close: () => void closed.push('plugin'),
      afterRunCallback: () => void closed.push('run'),
    };
    const { runner } = await createSetup(
      new LlmAgent({ name: 'root', model: new ScriptedLlm(hangs()), tools: [toolset] }),
      { plugins: [plugin] },
    );
    const reading = Array.fromAsync(runner.runAsync(hello));
    reading.catch(() => {});
    await settle();
    await Promise.all([runner.close(), runner.close()]);
    await expect(reading).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(closed).toEqual(['run', 'toolset', 'plugin']);
    await expect(runner.runToCompletion(hello)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('closed'),
    });
  });

  it('closes without a toolset and a plugin whose close does not end within 10 s', async () => {
    const closed: string[] = [];
    const hanging = (): Promise<void> => new Promise(() => {});
    const { runner, runtime } = await createSetup(
      new LlmAgent({
        name: 'root',
        model: new ScriptedLlm(answers('fine')),
        tools: [{ getTools: async () => [], close: hanging }],
      }),
      {
        plugins: [
          { name: 'exporter', close: hanging },
          { name: 'other', close: () => void closed.push('other') },
        ],
      },
    );
    await runner.runToCompletion(hello);
    const closing = runner.close().then(() => closed.push('runner'));
    await settle();
    expect(closed).toEqual(['other']);
    await runtime.advance(10_000);
    await closing;
    expect(closed).toEqual(['other', 'runner']);
    expect(runtime.logs.map(({ fields }) => fields?.['error'])).toEqual([
      'TholeError: close() of a toolset did not end within 10000 ms.',
      'TholeError: close() of the plugin "exporter" did not end within 10000 ms.',
    ]);
  });

  it('has no pending timer after close()', async () => {
    const { runner, runtime } = await createSetup(saying('root', 'fine'));
    await runner.runToCompletion(hello);
    await runner.close();
    expect(runtime.pending).toBe(0);
  });

  it('passes deps to the run, and does not store them', async () => {
    const seen: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      seen.push(context.deps);
      yield says(context, 'fine');
    });
    const { runner, stored } = await createSetup(agent);
    await runner.runToCompletion({ ...hello, deps: { database: 'secret' } });
    await runner.runToCompletion(hello);
    expect(seen).toEqual([{ database: 'secret' }, undefined]);
    expect(JSON.stringify(await stored())).not.toContain('secret');
  });

  it('returns the last text, the usage and the finish reason from runToCompletion', async () => {
    const model = new ScriptedLlm({ ...answers('one'), usageMetadata: { promptTokenCount: 3, totalTokenCount: 5 } });
    const { runner } = await createSetup(new LlmAgent({ name: 'root', model }));
    expect(await runner.runToCompletion(hello)).toMatchObject({
      text: 'one',
      usage: { promptTokenCount: 3, totalTokenCount: 5 },
      finishReason: 'STOP',
    });
  });

  it('keeps the text of runToCompletion if the result of a tool ends the turn', async () => {
    const end: Tool = {
      name: 'end',
      description: 'Ends.',
      declaration: () => ({ name: 'end', description: 'Ends.' }),
      runAsync: async ({ toolContext }) => ((toolContext.actions.skipSummarization = true), {}),
    };
    const writer = new LlmAgent({ name: 'writer', model: new ScriptedLlm(answers('Draft.')) });
    const critic = new LlmAgent({ name: 'critic', model: new ScriptedLlm(calls('end')), tools: [end] });
    const { runner } = await createSetup(new SequentialAgent({ name: 'root', subAgents: [writer, critic] }));
    expect(await runner.runToCompletion(hello)).toMatchObject({ text: 'Draft.', finishReason: 'STOP' });
  });

  it.each(['MAX_TOKENS', 'SAFETY'])(
    'returns the finish reason of an answer without content: %s',
    async (finishReason) => {
      const blocked = { finishReason, ...(finishReason === 'SAFETY' && { errorCode: 'SAFETY' }) };
      const { runner } = await createSetup(new LlmAgent({ name: 'root', model: new ScriptedLlm(blocked) }));
      expect(await runner.runToCompletion(hello)).toMatchObject({ text: '', finishReason });
    },
  );

  it('stores the turns of a session in memory with their event ids (contract 31)', async () => {
    const memoryService = new InMemoryMemoryService();
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(answers('fine')),
      afterAgentCallback: (context) => context.addSessionToMemory(),
    });
    const { runner, stored } = await createSetup(agent, { memoryService });
    await runner.runToCompletion(hello);
    const ids = (await memoryService.listMemories(user)).memories.map(({ id }) => id);
    expect(ids).toEqual((await stored()).events.map((event) => turnId('s', event.id)));
  });
});

describe('Runner.runAsync without a sessionId', () => {
  it('creates a session whose id is in run.sessionId at once', async () => {
    const { runner, service } = await createSetup(saying('root', 'Hello.'));
    const run = runner.runAsync({ userId: 'ann', newMessage: 'hello' });
    const { sessionId } = run;
    expect(sessionId).not.toBe('');
    expect(await service.getSession({ ...ref, sessionId })).toBeUndefined();
    await Array.fromAsync(run);
    expect(textsIn((await service.getSession({ ...ref, sessionId }))!.events)).toEqual(['hello', 'Hello.']);
    await runner.runToCompletion({ userId: 'ann', sessionId, newMessage: 'again' });
    expect((await service.getSession({ ...ref, sessionId }))!.events).toHaveLength(4);
  });

  it('creates a new session for each run, whose id runToCompletion returns', async () => {
    const { runner, service } = await createSetup(saying('root', 'Hello.'));
    const one = await runner.runToCompletion({ userId: 'ann', newMessage: 'hello' });
    const other = await runner.runToCompletion({ userId: 'ann', newMessage: 'hello' });
    expect(one.sessionId).not.toBe(other.sessionId);
    expect((await service.getSession({ ...ref, sessionId: other.sessionId }))!.events).toHaveLength(2);
  });

  it('stores nothing for invalid input', async () => {
    const { runner, service } = await createSetup(saying('root', 'Hello.'));
    const run = runner.runAsync({ userId: 'ann', newMessage: '' });
    expect((await outcomeOf(run)).error?.code).toBe('INVALID_INPUT');
    expect((await service.listSessions({ appName: 'app' })).total).toBe(1);
  });

  it('returns a given sessionId, and a new one for runEphemeral', async () => {
    const { runner } = await createSetup(saying('root', 'Hello.'));
    expect(runner.runAsync(hello).sessionId).toBe('s');
    expect(runner.runEphemeral(hello).sessionId).not.toBe('s');
  });
});

describe('Runner.runAsync with an invalid argument', () => {
  it.each([[undefined], [null], ['hello'], [7]])('throws INVALID_INPUT from the iterable for %s', async (argument) => {
    const { runner } = await createSetup(saying('root', 'Hello.'));
    const runAsync = runner.runAsync.bind(runner) as (p?: unknown) => AsyncIterable<Event>;
    const { error } = await outcomeOf(runAsync(argument));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('userId and newMessage') });
    const runEphemeral = runner.runEphemeral.bind(runner) as (p?: unknown) => AsyncIterable<Event>;
    expect((await outcomeOf(runEphemeral(argument))).error?.code).toBe('INVALID_INPUT');
    const complete = runner.runToCompletion.bind(runner) as (p?: unknown) => Promise<unknown>;
    await expect(complete(argument)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('throws INVALID_INPUT without a userId, and ends', async () => {
    const { runner } = await createSetup(saying('root', 'Hello.'));
    const { error } = await outcomeOf(runner.runAsync({ newMessage: 'hello' } as never));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('userId') });
    await runner.idle();
  });

  it('rejects a sessionId that is null', async () => {
    const { runner } = await createSetup(saying('root', 'Hello.'));
    const { error } = await outcomeOf(runner.runAsync({ ...hello, sessionId: null as never }));
    expect(error?.code).toBe('INVALID_INPUT');
  });
});

describe('Runner.runToCompletion', () => {
  it('counts the tokens of agents that ran as tools', async () => {
    const usage = (n: number): { usageMetadata: object } => ({
      usageMetadata: { promptTokenCount: n, candidatesTokenCount: n, totalTokenCount: 2 * n },
    });
    const inner = new LlmAgent({ name: 'inner', model: new ScriptedLlm({ ...answers('42'), ...usage(100) }) });
    const model = new ScriptedLlm(
      { ...calls('inner', { request: 'x' }), ...usage(1) },
      { ...answers('Done.'), ...usage(10) },
    );
    const { runner } = await createSetup(
      new LlmAgent({ name: 'root', model, tools: [new AgentTool({ agent: inner })] }),
    );
    const completion = await runner.runToCompletion(hello);
    expect(completion.usage).toEqual({ promptTokenCount: 111, candidatesTokenCount: 111, totalTokenCount: 222 });
  });
});
