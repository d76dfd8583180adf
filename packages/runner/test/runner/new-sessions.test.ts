import type { Event } from '@thole/core';
import { calls, says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { outcomeOf } from '../support/llm-house.ts';
import { hello, houseOf, ref, saying, textsIn } from '../support/runs.ts';

describe('Runner.runAsync without a sessionId', () => {
  it('creates a session; run.sessionId is known at once', async () => {
    const { runner, service } = await houseOf(saying('root', 'Hello.'));
    const run = runner.runAsync({ userId: 'ann', newMessage: 'hello' });
    const { sessionId } = run;
    expect(sessionId).not.toBe('');
    expect(await service.getSession({ ...ref, sessionId })).toBeUndefined();
    await Array.fromAsync(run);
    expect(textsIn((await service.getSession({ ...ref, sessionId }))!.events)).toEqual(['hello', 'Hello.']);
    await runner.runToCompletion({ userId: 'ann', sessionId, newMessage: 'again' });
    expect((await service.getSession({ ...ref, sessionId }))!.events).toHaveLength(4);
  });

  it('creates another session for each run, and runToCompletion returns its id', async () => {
    const { runner, service } = await houseOf(saying('root', 'Hello.'));
    const one = await runner.runToCompletion({ userId: 'ann', newMessage: 'hello' });
    const other = await runner.runToCompletion({ userId: 'ann', newMessage: 'hello' });
    expect(one.sessionId).not.toBe(other.sessionId);
    expect((await service.getSession({ ...ref, sessionId: other.sessionId }))!.events).toHaveLength(2);
  });

  it('stores nothing where the input is refused', async () => {
    const { runner, service } = await houseOf(saying('root', 'Hello.'));
    const run = runner.runAsync({ userId: 'ann', newMessage: '' });
    expect((await outcomeOf(run)).error?.code).toBe('INVALID_INPUT');
    expect((await service.listSessions({ appName: 'app' })).total).toBe(1);
  });

  it('tells the session of a run that was given one', async () => {
    const { runner } = await houseOf(saying('root', 'Hello.'));
    expect(runner.runAsync(hello).sessionId).toBe('s');
    expect(runner.runEphemeral(hello).sessionId).not.toBe('s');
  });
});

describe('Runner.runAsync with a wrong argument', () => {
  it.each([[undefined], [null], ['hello'], [7]])('throws INVALID_INPUT from the iterable for %s', async (argument) => {
    const { runner } = await houseOf(saying('root', 'Hello.'));
    const runAsync = runner.runAsync.bind(runner) as (p?: unknown) => AsyncIterable<Event>;
    const { error } = await outcomeOf(runAsync(argument));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('userId and newMessage') });
    const runEphemeral = runner.runEphemeral.bind(runner) as (p?: unknown) => AsyncIterable<Event>;
    expect((await outcomeOf(runEphemeral(argument))).error?.code).toBe('INVALID_INPUT');
    const complete = runner.runToCompletion.bind(runner) as (p?: unknown) => Promise<unknown>;
    await expect(complete(argument)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('throws INVALID_INPUT where there is no userId, and ends', async () => {
    const { runner } = await houseOf(saying('root', 'Hello.'));
    const { error } = await outcomeOf(runner.runAsync({ newMessage: 'hello' } as never));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('userId') });
    await runner.idle();
  });

  it('refuses a sessionId that is null', async () => {
    const { runner } = await houseOf(saying('root', 'Hello.'));
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
    const { runner } = await houseOf(new LlmAgent({ name: 'root', model, tools: [new AgentTool({ agent: inner })] }));
    const completion = await runner.runToCompletion(hello);
    expect(completion.usage).toEqual({ promptTokenCount: 111, candidatesTokenCount: 111, totalTokenCount: 222 });
  });
});
