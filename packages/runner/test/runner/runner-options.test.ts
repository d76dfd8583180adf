import type { Agent, Toolset } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import type { LlmAgentOptions } from '../../src/agents/llm-agent-options.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { createSetup, hello, rootOf, toolOf } from '../support/llm-setup.ts';
import { expectError } from '../support/usable-session.ts';

describe('Runner with invalid agents', () => {
  const model = new ScriptedLlm();
  const named = (name: string, more: Partial<LlmAgentOptions> = {}): LlmAgent => new LlmAgent({ name, model, ...more });

  it.each<[string, () => unknown, string, string]>([
    [
      'two tools with the same name',
      () => named('root', { tools: [toolOf('look', () => 1), toolOf('look', () => 2)] }),
      'DUPLICATE_NAME',
      'look',
    ],
    [
      'two agents with the same name',
      () => named('root', { subAgents: [named('twin'), named('twin')] }),
      'DUPLICATE_NAME',
      'twin',
    ],
    [
      'two agents with the same name in different branches',
      () => named('root', { subAgents: [named('a', { subAgents: [named('root')] })] }),
      'DUPLICATE_NAME',
      'root',
    ],
    ['an agent called user', () => named('user'), 'INVALID_INPUT', 'user'],
    [
      'a sub-agent called user',
      () => named('root', { subAgents: [{ name: 'user', async *runAsync() {} }] }),
      'INVALID_INPUT',
      'user',
    ],
    ['an empty outputKey', () => named('root', { outputKey: '' }), 'INVALID_INPUT', 'outputKey'],
  ])('rejects %s when the agent is created, and names it', (_, create, code, messagePart) => {
    expect(create).toThrow(expect.objectContaining({ code, message: expect.stringContaining(messagePart) }));
  });

  it.each<[string, () => Agent]>([
    ['an agent', () => new LlmAgent({ name: 'root', model: 'gemini-99' })],
    [
      'a sub-agent of a SequentialAgent',
      () => new SequentialAgent({ name: 'root', subAgents: [new LlmAgent({ name: 'a', model: 'gemini-99' })] }),
    ],
  ])('throws MODEL_UNKNOWN for an unknown model of %s, also when the agent is replaced', async (_, create) => {
    const unknown = { code: 'MODEL_UNKNOWN', message: expect.stringContaining('gemini-99') };
    await expect(createSetup(create())).rejects.toMatchObject(unknown);
    const setup = await createSetup(rootOf(new ScriptedLlm(says('still here'))));
    expect(() => (setup.runner.agent = create())).toThrow(expect.objectContaining(unknown));
    expect((await setup.runner.runToCompletion(hello)).text).toBe('still here');
  });

  it.each([
    ['that is not an array', {}, 'models must be an array of model factories, got an object.'],
    ['with a function that creates factories', [() => ({})], 'models[0] must be a model factory, got a function.'],
    ['with a model', [new ScriptedLlm()], 'models[0] must have the method supports().'],
  ])('rejects an option models %s', async (_, models, message) => {
    const root = new LlmAgent({ name: 'root', model: 'gemini-99' });
    const setup = createSetup(root, { models: models as never });
    await expect(setup).rejects.toMatchObject({ code: 'INVALID_INPUT', message });
  });

  it.each<[string, object, object, string]>([
    ['a number of cached sessions below 0', {}, { maxCachedSessions: -1 }, 'maxCachedSessions must be an integer'],
    ['a time limit that is not a number', {}, { concurrency: { waitMs: '5' } }, 'concurrency.waitMs must be a number'],
    ['a policy that does not exist', {}, { concurrency: { policy: 'wait' } }, "concurrency.policy must be 'queue'"],
    ['prices that are not a function', { costOf: 0.1 }, {}, 'app.costOf must be a function'],
    ['a switch that is a text', { journalToolStarts: 'no' }, {}, 'app.journalToolStarts must be a boolean'],
    ['a choice that does not exist', { onNewMessage: 'drop' }, {}, "app.onNewMessage must be 'keep' or 'cancel'"],
    ['an empty suggestion', { suggestions: ['Hello', ' '] }, {}, 'app.suggestions[1] must be a string'],
  ])('rejects %s', (_, app, options, messagePart) => {
    const rootAgent = rootOf(new ScriptedLlm());
    const all = { app: { name: 'app', rootAgent, ...app }, sessionService: new InMemorySessionService(), ...options };
    expect(() => new Runner(all as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(messagePart) }),
    );
  });

  it('ends a run with INVALID_INPUT if a model factory creates no model', async () => {
    const factory = { patterns: ['gemini'], supports: () => true, create: async () => new ScriptedLlm() };
    const root = new LlmAgent({ name: 'root', model: 'gemini-99' });
    const setup = await createSetup(root, { models: [factory as never] });
    await expectError(setup, {}, { code: 'INVALID_INPUT', messagePart: 'factory for "gemini-99" must be a model' });
  });

  it('ends a run with DUPLICATE_NAME if a toolset has a tool of the same name (contract 24)', async () => {
    const toolset: Toolset = { getTools: async () => [toolOf('look', () => 2)], close: async () => {} };
    const setup = await createSetup(rootOf(new ScriptedLlm(), { tools: [toolOf('look', () => 1), toolset] }));
    await expectError(
      setup,
      {},
      { code: 'DUPLICATE_NAME', messagePart: 'look: tools[0] and look of the toolset tools[1]' },
    );
  });

  it.each([
    ['a state key', '{mood}', 'the state key mood'],
    ['a user’s state key', '{user:mood}', 'the state key user:mood'],
    ['an artifact', '{artifact.plan.txt}', 'the artifact plan.txt'],
  ])(
    'ends a run with STATE_KEY_MISSING if the instruction names %s that does not exist',
    async (_, place, messagePart) => {
      const setup = await createSetup(rootOf(new ScriptedLlm(), { instruction: `Say ${place}.` }));
      await expectError(setup, {}, { code: 'STATE_KEY_MISSING', messagePart });
    },
  );
});

describe('Runner with an app', () => {
  it.each([
    ['appName', 'other', 'app.name'],
    ['agent', new LlmAgent({ name: 'root', model: new ScriptedLlm() }), 'app.rootAgent'],
    ['plugins', [], 'app.plugins'],
    ['models', [], 'app.models'],
  ])('rejects the option %s, and names the member of the app', (name, value, member) => {
    const app = { name: 'app', rootAgent: new LlmAgent({ name: 'root', model: new ScriptedLlm() }) };
    const create = (): Runner =>
      new Runner({ app, sessionService: new InMemorySessionService(), [name]: value } as never);
    expect(create).toThrow(`Runner has app and ${name}. Set ${member} instead of ${name}.`);
  });
});
