import { fails, hangs, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { outcomeOf } from '../support/llm-setup.ts';
import { agentOf, createSetup, hello, says } from '../support/setup.ts';

describe('RunAgents', () => {
  it('sets the agent that failed as the author of the closing record (contract 22)', async () => {
    const steady = agentOf('steady', async function* (context) {
      yield says(context, 'one');
    });
    const broken = agentOf('broken', async function* (context) {
      yield says(context, 'two');
      throw new Error('x');
    });
    const last = agentOf('last', async function* (context) {
      yield says(context, 'three');
      await new Promise(() => {});
    });
    const root = new ParallelAgent({ name: 'root', subAgents: [steady, broken, last] });
    const { runner, stored } = await createSetup(root);
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'AGENT_FAILED', message: expect.stringContaining('Agent broken') });
    expect((await stored()).events.at(-1)).toMatchObject({ author: 'broken', errorCode: 'AGENT_FAILED' });
  });

  it('ends the run with AGENT_FAILED if an agent throws undefined (contract 22)', async () => {
    const root = agentOf('root', async function* () {
      await Promise.reject(undefined as never);
    });
    const { runner, stored } = await createSetup(root);
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'AGENT_FAILED', message: expect.stringContaining('Agent root') });
    expect((await stored()).events.at(-1)).toMatchObject({ errorCode: 'AGENT_FAILED' });
  });

  it('sets the agent that failed as the author for an error with a code, too', async () => {
    const subAgents = ['a', 'b', 'c'].map(
      (name) => new LlmAgent({ name, model: new ScriptedLlm(name === 'a' ? fails('MODEL_AUTH') : hangs()) }),
    );
    const { runner, stored } = await createSetup(new ParallelAgent({ name: 'root', subAgents }));
    await outcomeOf(runner.runAsync(hello));
    expect((await stored()).events.at(-1)).toMatchObject({ author: 'a', errorCode: 'MODEL_AUTH' });
  });
});
