import { TholeError } from '@thole/core';
import { turnId } from '@thole/core/kit';
import type { Part, Plugin, SessionService, Toolset } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { hangs, ignores, says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { agentOf, hello, houseOf, ref, says, saying, settle, textsIn, withLease } from '../support/runs.ts';

const file: Part = { inlineData: { mimeType: 'text/plain', data: 'aGk=' } };
const user = { appName: 'app', userId: 'ann' };

describe('an ephemeral run', () => {
  it('leaves no session, reads memory and writes none', async () => {
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
    const { runner, service } = await houseOf(agent, { memoryService, artifactService: new InMemoryArtifactService() });
    const run = runner.runEphemeral({ userId: 'ann', newMessage: 'hello' });
    expect(textsIn(await Array.fromAsync(run))).toEqual(['fine']);
    expect(seen).toEqual([1]);
    expect((await service.listSessions(user)).total).toBe(1);
    expect(await service.getUserState(user)).toEqual({});
    expect((await memoryService.listMemories(user)).memories).toHaveLength(1);
  });

  it('ends by its time limit too', async () => {
    const { runner, runtime } = await houseOf(new LlmAgent({ name: 'root', model: new ScriptedLlm(ignores()) }));
    const reading = Array.fromAsync(
      runner.runEphemeral({ userId: 'ann', newMessage: 'hello', runConfig: { timeLimitMs: 100 } }),
    );
    reading.catch(() => {});
    await settle();
    await runtime.advance(101);
    await expect(reading).rejects.toMatchObject({ code: 'RUN_TIME_LIMIT' });
  });
});

describe('deleting', () => {
  it('a session takes its artifacts along, and its memory only when asked (contract 11)', async () => {
    const memoryService = new InMemoryMemoryService();
    const artifactService = new InMemoryArtifactService();
    const agent = agentOf('root', async function* (context) {
      await context.saveArtifact('mine', file);
      await context.saveArtifact('user:ours', file);
      yield says(context, 'fine');
    });
    const { runner, stored } = await houseOf(agent, { memoryService, artifactService });
    await runner.runToCompletion(hello);
    await memoryService.addSessionToMemory(await stored());
    expect(await artifactService.listArtifactKeys(ref)).toEqual(['mine', 'user:ours']);
    expect(await runner.deleteSession({ userId: 'ann', sessionId: 's' })).toBe(true);
    expect(await artifactService.listArtifactKeys(ref)).toEqual(['user:ours']);
    expect((await memoryService.listMemories(user)).memories).toHaveLength(2);
    expect(await runner.deleteSession({ userId: 'ann', sessionId: 's', memory: true })).toBe(false);
    expect((await memoryService.listMemories(user)).memories).toHaveLength(0);
  });

  it('a user’s data reaches sessions, user state, artifacts and memory, and nobody else’s (contract 12)', async () => {
    const memoryService = new InMemoryMemoryService();
    const artifactService = new InMemoryArtifactService();
    const agent = agentOf('root', async function* (context) {
      await context.saveArtifact('user:ours', file);
      context.state.set('user:theme', 'dark');
      yield says(context, 'fine');
      await context.addSessionToMemory();
    });
    const { runner, service } = await houseOf(agent, { memoryService, artifactService, autoCreateSession: true });
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, userId: 'bob' });
    await runner.deleteUserData({ userId: 'ann' });
    for (const [userId, count] of [
      ['ann', 0],
      ['bob', 1],
    ] as const) {
      const scope = { appName: 'app', userId };
      expect((await service.listSessions(scope)).total).toBe(count);
      expect(Object.keys(await service.getUserState(scope))).toHaveLength(count);
      expect(await artifactService.listArtifactKeys({ ...scope, sessionId: 's' })).toHaveLength(count);
      expect((await memoryService.listMemories(scope)).memories).toHaveLength(count * 2);
    }
  });
});

describe('a runner', () => {
  it('refuses what it cannot be made of, naming it', () => {
    const sessionService = new InMemorySessionService();
    const agent = saying('root', 'x');
    const make = (options: object) => () => new Runner({ appName: 'app', agent, sessionService, ...options } as never);
    expect(make({ appName: '' })).toThrow(/appName must not be empty/);
    expect(make({ sessionService: {} })).toThrow(/sessionService must have the method createSession/);
    expect(make({ speed: 1 })).toThrow(/no option speed/);
    expect(make({ app: { name: 'app', rootAgent: agent, resumability: {} } })).toThrow(
      /App has no option resumability/,
    );
    expect(make({ plugins: [{ name: 'a' }, { name: 'a' }] })).toThrow(/Two plugins have the name "a"/);
    expect(make({ concurrency: { policy: 'wait' } })).toThrow(/concurrency.policy/);
    expect(make({ agent: saying('user', 'x') })).toThrow(/must not be called 'user'/);
    expect(make({ agent: { ...agent, subAgents: [saying('a'), saying('a')] } })).toThrow(/Two agents are called a/);
  });

  it('takes an App in the place of its parts', async () => {
    const service = new InMemorySessionService();
    await service.createSession(ref);
    const runner = new Runner({ app: { name: 'app', rootAgent: saying('root', 'fine') }, sessionService: service });
    expect((await runner.runToCompletion(hello)).text).toBe('fine');
  });

  it('lets a running invocation keep its agent when another is set', async () => {
    const { runner, stored } = await houseOf(saying('old', 'one', 'two'));
    const run = runner.runAsync(hello);
    await run.next();
    runner.agent = saying('new', 'three');
    await Array.fromAsync(run);
    await runner.runToCompletion(hello);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'two', 'hello', 'three']);
  });

  it('is idle when the last run has closed', async () => {
    const { runner } = await houseOf(saying('root', 'one'));
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    await runner.idle();
    expect(textsIn(await Array.fromAsync(run))).toEqual(['one']);
  });

  it('ends its runs when it is closed, then toolsets and plugins, once; and runs nothing afterwards (contract 24)', async () => {
    const closed: string[] = [];
    const toolset: Toolset = { getTools: async () => [], close: async () => void closed.push('toolset') };
    const plugin: Plugin = {
      name: 'ear',
      close: () => void closed.push('plugin'),
      afterRunCallback: () => void closed.push('run'),
    };
    const { runner } = await houseOf(
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

  it('does not keep a run because its store never lets the lease go', async () => {
    const { service, another, runtime } = await houseOf(
      new LlmAgent({ name: 'root', model: new ScriptedLlm(answers('fine')) }),
    );
    const stuck = withLease(service, { release: () => new Promise(() => {}) });
    const completed = another({ sessionService: stuck }).runToCompletion(hello);
    await settle();
    await runtime.advance(5_001);
    expect((await completed).text).toBe('fine');
  });

  it.each<[string, () => Promise<never>, boolean]>([
    ['cannot be reached', () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'No answer.')), true],
    ['says that the lease is gone', () => Promise.reject(new TholeError('LEASE_LOST', 'Gone.')), false],
    ['never answers', () => new Promise(() => {}), false],
  ])('goes on while its lease holds, and no longer, when a renewal %s (contract 13)', async (_, fails, survives) => {
    const held = Promise.withResolvers<void>();
    const agent = agentOf('root', async function* (context) {
      await held.promise;
      yield says(context, 'late');
    });
    const { service, another, runtime } = await houseOf(agent);
    let failures = 2;
    const shaky = withLease(service, (lease) => ({
      renew: () => (failures-- > 0 ? fails() : lease.renew()),
    }));
    const outcome = another({ sessionService: shaky })
      .runToCompletion(hello)
      .then(
        ({ text }) => text,
        (error: TholeError) => error.code,
      );
    await settle();
    for (let i = 0; i < 45; i++) await runtime.advance(1_000);
    held.resolve();
    expect(await outcome).toBe(survives ? 'late' : 'LEASE_LOST');
  });

  it.each(['getSession', 'appendEvent'])(
    'names the store when its %s throws an error without a code (contract 22)',
    async (method) => {
      const { service, another } = await houseOf(saying('root', 'fine'));
      const broken = new Proxy(service as SessionService, {
        get(target, name) {
          if (name === method) return () => Promise.reject(new Error('disk on fire'));
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? (value as (p: unknown) => unknown).bind(target) : value;
        },
      });
      await expect(another({ sessionService: broken }).runToCompletion(hello)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        cause: expect.objectContaining({ message: 'disk on fire' }),
      });
      expect((await another().runToCompletion(hello)).text).toBe('fine');
    },
  );

  it('leaves no timer behind when it is closed', async () => {
    const { runner, runtime } = await houseOf(saying('root', 'fine'));
    await runner.runToCompletion(hello);
    await runner.close();
    expect(runtime.pending).toBe(0);
  });

  it('hears an out-of-band write through its plugins, without a lease (contracts 12, 16)', async () => {
    const heard: unknown[] = [];
    const plugin: Plugin = {
      name: 'ear',
      onEventCallback: ({ event }) => void heard.push([event.author, event.actions.stateDelta]),
    };
    const { runner, stored } = await houseOf(saying('root', 'fine'), { plugins: [plugin] });
    const event = await runner.updateSessionState({
      userId: 'ann',
      sessionId: 's',
      stateDelta: { mood: 'good', 'temp:x': 1 },
    });
    expect(event.seq).toBe(1);
    expect(heard).toEqual([['system', { mood: 'good', 'temp:x': 1 }]]);
    expect((await stored()).state).toEqual({ mood: 'good' });
  });

  it('gives each run its own deps, and stores nothing of them', async () => {
    const seen: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      seen.push(context.deps);
      yield says(context, 'fine');
    });
    const { runner, stored } = await houseOf(agent);
    await runner.runToCompletion({ ...hello, deps: { database: 'secret' } });
    await runner.runToCompletion(hello);
    expect(seen).toEqual([{ database: 'secret' }, undefined]);
    expect(JSON.stringify(await stored())).not.toContain('secret');
  });

  it('counts what its model calls used, and answers the last text', async () => {
    const model = new ScriptedLlm({ ...answers('one'), usageMetadata: { promptTokenCount: 3, totalTokenCount: 5 } });
    const { runner } = await houseOf(new LlmAgent({ name: 'root', model }));
    expect(await runner.runToCompletion(hello)).toMatchObject({
      text: 'one',
      usage: { promptTokenCount: 3, totalTokenCount: 5 },
      finishReason: 'STOP',
    });
  });

  it('remembers turns of a session under their own ids (contract 31)', async () => {
    const memoryService = new InMemoryMemoryService();
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(answers('fine')),
      afterAgentCallback: (context) => context.addSessionToMemory(),
    });
    const { runner, stored } = await houseOf(agent, { memoryService });
    await runner.runToCompletion(hello);
    const ids = (await memoryService.listMemories(user)).memories.map(({ id }) => id);
    expect(ids).toEqual((await stored()).events.map((event) => turnId('s', event.id)));
  });
});
