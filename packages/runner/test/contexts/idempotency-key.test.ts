import { callsAll, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { Event, InvocationContext } from '@thole/core';
import { BaseAgent } from '../../src/agents/base-agent.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { createSetup, hello, ref, rootOf, toolOf } from '../support/llm-setup.ts';

describe('ToolContext.idempotencyKey', () => {
  const keysOf = (): { keys: string[]; tool: ReturnType<typeof toolOf> } => {
    const keys: string[] = [];
    return { keys, tool: toolOf('look', (_args, context) => void keys.push(context.idempotencyKey)) };
  };

  it('is a SHA-256 hash, the same for each read and different for each call', async () => {
    const { keys, tool } = keysOf();
    const twice = toolOf('twice', (_args, context) => void keys.push(context.idempotencyKey, context.idempotencyKey));
    const model = new ScriptedLlm(callsAll(['look', {}, 'a'], ['twice', {}, 'b']), says('x'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool, twice] }));
    await runner.runToCompletion(hello);
    expect(keys.every((key) => /^[\da-f]{64}$/.test(key))).toBe(true);
    expect([keys.length, new Set(keys).size, keys[1] === keys[2]]).toEqual([3, 2, true]);
  });

  it('is different after the session was deleted and created again', async () => {
    const { keys, tool } = keysOf();
    const call = callsAll(['look', {}, 'a']);
    const model = new ScriptedLlm(call, says('x'), call, says('x'));
    const { runner, sessions } = await createSetup(rootOf(model, { tools: [tool] }));
    await runner.runToCompletion(hello);
    await sessions.deleteSession(ref);
    await sessions.createSession(ref);
    await runner.runToCompletion(hello);
    expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
  });

  it('is different for calls of two agents with the same id', async () => {
    const { keys, tool } = keysOf();
    const agent = (name: string): LlmAgent =>
      new LlmAgent({ name, model: new ScriptedLlm(callsAll(['look', {}, 'a']), says('x')), tools: [tool] });
    const { runner } = await createSetup(new ParallelAgent({ name: 'both', subAgents: [agent('one'), agent('two')] }));
    await runner.runToCompletion(hello);
    expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
  });

  it('is the same for the same call in another process', async () => {
    const keysOfRun = async (): Promise<string[]> => {
      const { keys, tool } = keysOf();
      const model = new ScriptedLlm(callsAll(['look', {}, 'a']), says('x'));
      const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
      await runner.runToCompletion(hello);
      return keys;
    };
    expect(await keysOfRun()).toEqual(await keysOfRun());
  });
});

describe('InvocationContext.step', () => {
  it('has another key in each invocation of a session', async () => {
    const keys: string[] = [];
    class Sender extends BaseAgent {
      async *runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
        await context.step('send', ({ idempotencyKey }) => void keys.push(idempotencyKey));
      }
    }
    const { runner } = await createSetup(new Sender({ name: 'sender' }));
    await runner.runToCompletion(hello);
    await runner.runToCompletion(hello);
    expect([keys.length, new Set(keys).size]).toEqual([2, 2]);
  });
});
