import { StoredSessionService, TholeError } from '@thole/core';
import type { SessionService } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { calls, callsAll, says as modelSays, ScriptedLlm } from '@thole/testing';
import { SingleSessionStore } from '../../src/session/in-memory-session.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { houseOf as llmHouseOf, rootOf, toolOf } from '../support/llm-house.ts';
import { agentOf, hello, houseOf, ref, says, textsIn } from '../support/runs.ts';

/** Deletes the session and creates it again under its id. */
async function replace(service: SessionService): Promise<void> {
  await service.deleteSession(ref);
  await service.createSession(ref);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'done',
    (error: unknown) => (TholeError.is(error) ? error.code : String(error)),
  );
}

describe('a run whose session is deleted and created again', () => {
  it('ends with SESSION_NOT_FOUND and stores nothing in the new session (contract 7)', async () => {
    const agent = agentOf('root', async function* (context) {
      yield says(context, 'one');
      await replace(house.service);
      yield says(context, 'two', { actions: { ...says(context, '').actions, stateDelta: { a: 1, 'user:b': 2 } } });
      yield says(context, 'three');
    });
    const house = await houseOf(agent);
    expect(await codeOf(house.runner.runToCompletion(hello))).toBe('SESSION_NOT_FOUND');
    const { events, state } = await house.stored();
    expect([events, state]).toEqual([[], {}]);
  });

  it('ends so without leasing, and with another writer in the new session too (contract 7)', async () => {
    const agent = agentOf('root', async function* (context) {
      await replace(house.service);
      await house.service.updateState({ ...ref, stateDelta: { other: 1 } });
      yield says(context, 'one');
    });
    const house = await houseOf(agent);
    const service = new Proxy(house.service, {
      get(target, name) {
        if (name === 'leasing') return undefined;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value as (p: unknown) => unknown).bind(target) : value;
      },
    });
    expect(await codeOf(house.another({ sessionService: service }).runToCompletion(hello))).toBe('SESSION_NOT_FOUND');
    expect((await house.stored()).events.map(({ actions }) => actions.stateDelta)).toEqual([{ other: 1 }]);
  });

  it('stores no answer of a tool and no closing record there, also when it is aborted (contract 7)', async () => {
    const controller = new AbortController();
    const tool = toolOf('look', async () => {
      await replace(house.sessions);
      controller.abort();
      return { seen: 1 };
    });
    const house = await llmHouseOf(rootOf(new ScriptedLlm(calls('look'), modelSays('x')), { tools: [tool] }));
    const ended = await codeOf(house.runner.runToCompletion({ ...hello, abortSignal: controller.signal }));
    expect(ended).toBe('RUN_ABORTED');
    expect((await house.stored()).events).toEqual([]);
  });

  it('stores no answers of tools of one turn there (contract 7)', async () => {
    const tool = toolOf('look', () => replace(house.sessions).catch(() => {}));
    const model = new ScriptedLlm(callsAll(['look', {}, 'a'], ['look', {}, 'b']), modelSays('x'));
    const house = await llmHouseOf(rootOf(model, { tools: [tool] }));
    expect(await codeOf(house.runner.runToCompletion(hello))).toBe('SESSION_NOT_FOUND');
    expect((await house.stored()).events).toEqual([]);
  });

  it('lets the next run have the new session (contract 13)', async () => {
    let turn = 0;
    const agent = agentOf('root', async function* (context) {
      if (turn++ === 0) await replace(house.service);
      yield says(context, `turn ${turn}`);
    });
    const house = await houseOf(agent);
    expect(await codeOf(house.runner.runToCompletion(hello))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(house.runner.runToCompletion(hello))).toBe('done');
    expect(textsIn((await house.stored()).events)).toEqual(['hello', 'turn 2']);
  });
});

describe('SingleSessionStore', () => {
  it('refuses an append that names another incarnation (contract 7)', async () => {
    const service = new StoredSessionService(new SingleSessionStore());
    const session = await service.createSession(ref);
    const event = { ...says({ agentName: 'a', invocationId: 'i', runtime: undefined } as never, 'x') };
    expect(await codeOf(service.appendEvent({ session: ref, incarnation: 'other', event }))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(service.appendEvent({ session, event }))).toBe('done');
  });
});

describe('ToolContext.idempotencyKey', () => {
  const keysOf = (): { keys: string[]; tool: ReturnType<typeof toolOf> } => {
    const keys: string[] = [];
    return { keys, tool: toolOf('look', (_args, context) => void keys.push(context.idempotencyKey)) };
  };

  it('is a SHA-256, the same each time, and another one for every call id', async () => {
    const { keys, tool } = keysOf();
    const twice = toolOf('twice', (_args, context) => void keys.push(context.idempotencyKey, context.idempotencyKey));
    const model = new ScriptedLlm(callsAll(['look', {}, 'a'], ['twice', {}, 'b']), modelSays('x'));
    const { runner } = await llmHouseOf(rootOf(model, { tools: [tool, twice] }));
    await runner.runToCompletion(hello);
    expect(keys.every((key) => /^[\da-f]{64}$/.test(key))).toBe(true);
    expect([keys.length, new Set(keys).size, keys[1] === keys[2]]).toEqual([3, 2, true]);
  });

  it('is another one after the session was deleted and created again', async () => {
    const { keys, tool } = keysOf();
    const call = callsAll(['look', {}, 'a']);
    const model = new ScriptedLlm(call, modelSays('x'), call, modelSays('x'));
    const { runner, sessions } = await llmHouseOf(rootOf(model, { tools: [tool] }));
    await runner.runToCompletion(hello);
    await replace(sessions);
    await runner.runToCompletion(hello);
    expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
  });

  it('is another one for each agent that makes a call with one id', async () => {
    const { keys, tool } = keysOf();
    const agent = (name: string): LlmAgent =>
      new LlmAgent({ name, model: new ScriptedLlm(callsAll(['look', {}, 'a']), modelSays('x')), tools: [tool] });
    const { runner } = await houseOf(new ParallelAgent({ name: 'both', subAgents: [agent('one'), agent('two')] }));
    await runner.runToCompletion(hello);
    expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
  });

  it('is the same in another process that makes the same call again', async () => {
    const keysOfRun = async (): Promise<string[]> => {
      const { keys, tool } = keysOf();
      const model = new ScriptedLlm(callsAll(['look', {}, 'a']), modelSays('x'));
      const { runner } = await llmHouseOf(rootOf(model, { tools: [tool] }));
      await runner.runToCompletion(hello);
      return keys;
    };
    expect(await keysOfRun()).toEqual(await keysOfRun());
  });
});

describe('state', () => {
  it('has its keys in one order, whether the session was kept or is read again (contract 3)', async () => {
    const orders: string[][] = [];
    const agent = agentOf('root', async function* (context) {
      orders.push(Object.keys(context.state.toRecord()));
      context.state.set('b', 1);
      context.state.set('a', 1);
      context.state.set('user:c', 1);
      yield says(context, 'one');
    });
    const { runner, another } = await houseOf(agent);
    await runner.runToCompletion(hello);
    await runner.runToCompletion(hello);
    await another().runToCompletion(hello);
    expect(orders).toEqual([[], ['a', 'b', 'user:c'], ['a', 'b', 'user:c']]);
  });
});
