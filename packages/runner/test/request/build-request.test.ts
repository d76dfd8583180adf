import { getFunctionCalls, textOf } from '@thole/core';
import type {
  FunctionDeclaration,
  GenerateContentConfig,
  LlmRequest,
  Part,
  ReadonlyContext,
  Tool,
  Toolset,
} from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import type { LlmAgentOptions } from '../../src/agents/llm-agent-options.ts';
import { hello, createSetup, outcomeOf, ref, rootOf, toolOf } from '../support/llm-setup.ts';

/** Returns the request of the first step. */
async function requestOf(options: Partial<LlmAgentOptions>, state = {}): Promise<LlmRequest> {
  const model = new ScriptedLlm(says('Hi.'));
  const { runner } = await createSetup(rootOf(model, options), {}, state);
  await runner.runToCompletion(hello);
  return model.requests[0]!;
}

const declaredNames = ({ tools }: GenerateContentConfig): string[] =>
  (tools ?? []).flatMap((tool) =>
    'functionDeclarations' in tool ? tool.functionDeclarations.map(({ name }) => name) : Object.keys(tool),
  );

describe('The system instruction', () => {
  it.each<[string, string, object]>([
    ['Guest: {name}.', 'Guest: Ann.', { name: 'Ann' }],
    ['{user:name} of {app:house}', 'Ann of Thole', { 'user:name': 'Ann', 'app:house': 'Thole' }],
    ['Room {hotel.room}', 'Room 7', { 'hotel.room': 7 }],
    ['Cart: {cart}', 'Cart: ["tea"]', { cart: ['tea'] }],
    ['Perhaps {nick?}.', 'Perhaps .', {}],
    ['{"json": 1} ${x} {{y}} { z } {1}', '{"json": 1} ${x} {{y}} { z } {1}', {}],
    ['{a}', '{b}', { a: '{b}' }],
  ])('has state values instead of keys: %s (F050)', async (instruction, expected, state) => {
    const { config } = await requestOf({ instruction }, state);
    expect(config.systemInstruction!.split('\n\n')[0]).toBe(expected);
  });

  it('throws STATE_KEY_MISSING for a missing key, and the next turn works', async () => {
    const model = new ScriptedLlm(says('Hi, Ann.'));
    const { runner, sessions } = await createSetup(rootOf(model, { instruction: 'Guest: {user:name}.' }));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error?.code).toBe('STATE_KEY_MISSING');
    expect(error?.message).toContain('user:name');
    await sessions.updateState({ ...ref, stateDelta: { 'user:name': 'Ann' } });
    expect((await runner.runToCompletion(hello)).text).toBe('Hi, Ann.');
  });

  it('contains texts of artifacts, and the error names a missing artifact', async () => {
    const model = new ScriptedLlm(says('Hi.'));
    const { runner, artifacts } = await createSetup(rootOf(model, { instruction: 'Rules: {artifact.rules.txt}' }));
    expect((await outcomeOf(runner.runAsync(hello))).error).toMatchObject({
      code: 'STATE_KEY_MISSING',
      message: expect.stringContaining('rules.txt'),
    });
    await artifacts.saveArtifact({
      ...ref,
      filename: 'rules.txt',
      artifact: { inlineData: { mimeType: 'text/plain', data: btoa('Be kind.') } },
    });
    await runner.runToCompletion(hello);
    expect(model.requests[0]!.config.systemInstruction).toContain('Rules: Be kind.');
  });

  it.each<[string, Part]>([
    ['image/png', { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
    ['application/pdf', { fileData: { mimeType: 'application/pdf', fileUri: 'gs://files/a.pdf' } }],
  ])('contains no artifact that is not text (%s): the run fails with INVALID_INPUT', async (mimeType, artifact) => {
    const instruction = 'Look at {artifact.photo.png?}';
    const { runner, artifacts } = await createSetup(rootOf(new ScriptedLlm(says('Hi.')), { instruction }));
    await artifacts.saveArtifact({ ...ref, filename: 'photo.png', artifact });
    expect((await outcomeOf(runner.runAsync(hello))).error).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`names the artifact photo.png (${mimeType}), which is not UTF-8 text`),
    });
  });

  it('contains the unchanged result of a function, which can read but not write state', async () => {
    const instruction = (context: ReadonlyContext): string => {
      expect(context.state).not.toHaveProperty('set');
      return `{key} for ${context.userId}, ${context.state.get<number>('k')}`;
    };
    const { config } = await requestOf({ instruction }, { k: 1 });
    expect(config.systemInstruction).toMatch(/^\{key\} for ann, 1\n/);
  });

  it('has globalInstruction of the root before the instruction of each agent', async () => {
    const inner = new ScriptedLlm(says('Hi.'));
    const child = new LlmAgent({
      name: 'child',
      model: inner,
      instruction: 'Own.',
      globalInstruction: 'Not mine to give.',
    });
    const root = rootOf(new ScriptedLlm(calls('transfer_to_agent', { agentName: 'child' })), {
      globalInstruction: 'Be {how}.',
      subAgents: [child],
    });
    const { runner } = await createSetup(root, {}, { how: 'brief' });
    await runner.runToCompletion(hello);
    expect(inner.requests[0]!.config.systemInstruction).toMatch(/^Be brief\.\n\nOwn\.\n\n/);
  });

  it('starts with staticInstruction, and other instructions are before the message (F220)', async () => {
    const model = new ScriptedLlm(says('Hi.'), says('Hi.'));
    const { runner } = await createSetup(
      rootOf(model, { staticInstruction: 'Keep {this}.', instruction: 'Guest: {name}.' }),
      {},
      { name: 'Ann' },
    );
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, newMessage: 'and?' });
    expect(model.requests[0]!.config.systemInstruction).toMatch(/^Keep \{this\}\.\n\n/);
    expect(model.requests[0]!.config.systemInstruction).toBe(model.requests[1]!.config.systemInstruction);
    expect(model.requests[1]!.contents.map(textOf)).toEqual(['hello', 'Hi.', 'Guest: Ann.', 'and?']);
  });

  it('contains name and description of the agent', async () => {
    const { config } = await requestOf({ description: 'Books rooms.' });
    expect(config.systemInstruction).toBe('Your name among the agents here is "root". Your purpose: Books rooms.');
  });
});

describe('The contents', () => {
  it('contain at least the message of the user', async () => {
    const plugin = { name: 'forget', selectHistoryCallback: () => [] };
    const model = new ScriptedLlm(says('Hi.'));
    const { runner } = await createSetup(rootOf(model), { plugins: [plugin] });
    await runner.runToCompletion(hello);
    expect(model.requests[0]!.contents.map(textOf)).toEqual(['hello']);
  });

  it('throw PLUGIN_FAILED if selectHistoryCallback throws', async () => {
    const plugin = {
      name: 'bad',
      selectHistoryCallback: () => {
        throw new Error('broken');
      },
    };
    const { runner } = await createSetup(rootOf(new ScriptedLlm()), { plugins: [plugin] });
    expect((await outcomeOf(runner.runAsync(hello))).error).toMatchObject({
      code: 'PLUGIN_FAILED',
      message: 'Plugin bad failed in selectHistoryCallback.',
    });
  });
});

describe('The tools', () => {
  it('are declared, except passive tools, which cannot be called (F251)', async () => {
    const passive: Tool = { name: 'quiet', description: '', runAsync: () => expect.unreachable() };
    const model = new ScriptedLlm(calls('quiet'), says('x'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => 1), passive] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(declaredNames(model.requests[0]!.config)).toEqual(['look']);
    expect(events[1]!.content!.parts![0]!.functionResponse!.response).toEqual({
      error: 'There is no tool quiet. The tools are: look.',
    });
  });

  it('may change the request, and their actions are stored with the answer (F252)', async () => {
    const passive: Tool = {
      name: 'quiet',
      description: '',
      runAsync: () => expect.unreachable(),
      processLlmRequest: async ({ toolContext, llmRequest }) => {
        toolContext.state.set('seen', 1);
        await toolContext.saveArtifact('a.txt', { text: 'a' });
        (llmRequest.config.tools ??= []).push({ googleSearch: {} });
      },
    };
    const model = new ScriptedLlm(says('Hi.'));
    const { runner } = await createSetup(
      rootOf(model, {
        tools: [passive],
        beforeModelCallback: ({ context }) => {
          expect(context.state.get('seen')).toBe(1);
        },
      }),
    );
    const [event] = await Array.fromAsync(runner.runAsync(hello));
    expect(event!.actions).toMatchObject({ stateDelta: { seen: 1 }, artifactDelta: { 'a.txt': 0 } });
    expect(declaredNames(model.requests[0]!.config)).toEqual(['googleSearch']);
  });

  it('of a toolset are read once per step, and closed with the runner (contract 24)', async () => {
    const contexts: ReadonlyContext[] = [];
    let closed = 0;
    const toolset: Toolset = {
      getTools: async (context) => (contexts.push(context), [toolOf('look', () => 1)]),
      close: async () => void closed++,
    };
    const model = new ScriptedLlm(calls('look'), says('Hi.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolset] }));
    await runner.runToCompletion(hello);
    expect(contexts.length).toBe(2);
    expect(contexts[0]!.state).not.toHaveProperty('set');
    expect(closed).toBe(0);
    await runner.close();
    expect(closed).toBe(1);
  });

  it('with one name, one from a toolset, throw DUPLICATE_NAME with both (contract 24)', async () => {
    const toolset: Toolset = { getTools: async () => [toolOf('look', () => 1)], close: async () => {} };
    const { runner } = await createSetup(rootOf(new ScriptedLlm(), { tools: [toolOf('look', () => 1), toolset] }));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({
      code: 'DUPLICATE_NAME',
      message: 'Agent root has two tools called look: tools[0] and look of the toolset tools[1].',
    });
  });

  it.each([
    [undefined, 'must be an array of tools, got undefined.'],
    [[null], 'at index 0 must be a tool, got null.'],
    [[() => 1], 'at index 0 must be a tool (wrap a function in FunctionTool), got a function.'],
  ])('of a toolset that returns %j are rejected with the name of its class', async (tools, message) => {
    class Shop implements Toolset {
      async getTools(): Promise<readonly Tool[]> {
        return tools as never;
      }
      async close(): Promise<void> {}
    }
    const { runner } = await createSetup(rootOf(new ScriptedLlm(), { tools: [new Shop()] }));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({
      code: 'INVALID_INPUT',
      message: `Agent root: the result of getTools of tools[0] (Shop) ${message}`,
    });
  });

  it('of a toolset must not have a reserved name', async () => {
    const tools = [toolOf('adk_request_confirmation', () => undefined, { isLongRunning: true })];
    const toolset: Toolset = { getTools: async () => tools, close: async () => {} };
    const { runner } = await createSetup(rootOf(new ScriptedLlm(), { tools: [toolset] }));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('toolset tools[0]') });
  });
});

describe('Targets of a transfer', () => {
  const shared = new ScriptedLlm(...Array.from({ length: 9 }, () => says('Hi.')));
  const targetsFor = async (options: Partial<LlmAgentOptions>): Promise<unknown> => {
    const model = new ScriptedLlm(says('Hi.'));
    const child = new LlmAgent({ name: 'child', model, subAgents: [new LlmAgent({ name: 'grandchild' })], ...options });
    const root = rootOf(new ScriptedLlm(calls('transfer_to_agent', { agentName: 'child' })), {
      subAgents: [child, new LlmAgent({ name: 'peer', model: shared })],
    });
    const { runner } = await createSetup(root);
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(getFunctionCalls(events[0]!)[0]!.name).toBe('transfer_to_agent');
    const [tool] = model.requests[0]!.config.tools as { functionDeclarations: FunctionDeclaration[] }[];
    const parameters = tool!.functionDeclarations[0]!.parametersJsonSchema as {
      properties: { agentName: { enum: string[] } };
    };
    return parameters.properties.agentName.enum;
  };

  it.each<[Partial<LlmAgentOptions>, string[]]>([
    [{}, ['grandchild', 'root', 'peer']],
    [{ disallowTransferToParent: true }, ['grandchild', 'peer']],
    [{ disallowTransferToPeers: true }, ['grandchild', 'root']],
    [{ disallowTransferToParent: true, disallowTransferToPeers: true }, ['grandchild']],
  ])('are sub-agents, parent and peers, limited by %o (F223)', async (options, expected) => {
    expect(await targetsFor(options)).toEqual(expected);
  });

  it('are empty for a single agent, which has no transfer tool', async () => {
    expect(declaredNames((await requestOf({})).config)).toEqual([]);
  });
});
