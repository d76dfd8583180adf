import type { Tool } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { modelNamed, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import type { LlmAgentOptions } from '../../src/agents/llm-agent-options.ts';
import { Runner } from '../../src/runner/runner.ts';
import { toolOf } from '../support/llm-setup.ts';

const model = new ScriptedLlm();

describe('LlmAgent with invalid options', () => {
  it.each<[string, object, string]>([
    ['a name that is not an identifier', { name: 'no good' }, "An agent's name must be an identifier"],
    ['the name of the user', { name: 'user' }, "must not be called 'user'"],
    ['an unknown option', { name: 'a', instructions: 'x' }, 'Agent a: there is no option instructions.'],
    ['an invalid model', { name: 'a', model: {} }, 'Agent a: model must be a model or a model name, got an object.'],
    [
      'an instruction that is a number',
      { name: 'a', instruction: 7 },
      'Agent a: instruction must be a string or a function, got a number.',
    ],
    ['tools that are not an array', { name: 'a', tools: {} }, 'Agent a: tools must be a list'],
    ['an invalid tool', { name: 'a', tools: [{ name: 'x' }] }, 'Agent a: tools[0] must be a tool or a toolset'],
    [
      'an invalid callback',
      { name: 'a', beforeToolCallback: [() => {}, 'x'] },
      'Agent a: beforeToolCallback must be a function',
    ],
    [
      'a config member that an option sets',
      { name: 'a', generateContentConfig: { systemInstruction: 'x' } },
      'is set by the option instruction',
    ],
    [
      'a config that is not JSON',
      { name: 'a', generateContentConfig: { labels: { x: () => 1 } } },
      'generateContentConfig.labels.x must be JSON',
    ],
    [
      'an unknown includeContents',
      { name: 'a', includeContents: 'all' },
      "includeContents must be 'default' or 'none'",
    ],
    [
      'an invalid sub-agent',
      { name: 'a', subAgents: [{ name: 'b' }] },
      'An agent must be an object with name and runAsync',
    ],
    ['an empty outputKey', { name: 'a', outputKey: '' }, 'outputKey must not be empty'],
  ])('rejects %s and names it', (_name, options, message) => {
    expect(() => new LlmAgent(options as LlmAgentOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });

  it('rejects two tools with one name and names both (contract 24)', () => {
    const tools = [toolOf('look', () => 1), toolOf('see', () => 1), toolOf('look', () => 2)];
    expect(() => new LlmAgent({ name: 'a', tools })).toThrow(
      expect.objectContaining({
        code: 'DUPLICATE_NAME',
        message: 'Agent a has two tools called look: tools[0] and tools[2].',
      }),
    );
  });

  it.each(['adk_request_confirmation', 'adk_request_input', 'adk_request_credential', 'thole_timer'])(
    'rejects a tool with a reserved name: %s',
    (name) => {
      expect(() => new LlmAgent({ name: 'a', tools: [toolOf(name, () => 1)] })).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(`tools[0]`) }),
      );
    },
  );

  it('rejects two sub-agents with one name', () => {
    const child = (): LlmAgent => new LlmAgent({ name: 'b' });
    expect(() => new LlmAgent({ name: 'a', subAgents: [child(), child()] })).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_NAME' }),
    );
  });
});

describe('Runner with an invalid LlmAgent', () => {
  const runnerOf = (agent: LlmAgent): Runner =>
    new Runner({
      appName: 'app',
      agent,
      models: [modelNamed('known-1', model)],
      sessionService: new InMemorySessionService(),
    });

  it('rejects an unknown model, and lists the known models', () => {
    expect(() => runnerOf(new LlmAgent({ name: 'a', model: 'other-1' }))).toThrow(
      expect.objectContaining({
        code: 'MODEL_UNKNOWN',
        message:
          'Agent a: no model factory accepts "other-1"; the factories accept known-1. Add the factory of another provider to `models`, or pass a model object.',
      }),
    );
  });

  it('names the option if the runner has no models', () => {
    const agent = new LlmAgent({ name: 'a', model: 'other-1' });
    expect(() => new Runner({ appName: 'app', agent, sessionService: new InMemorySessionService() })).toThrow(
      'Pass `models: [openAiModels()]` or the factory of another provider, or a model object.',
    );
  });

  it('rejects an agent if neither it nor an agent above it has a model', () => {
    expect(() => runnerOf(new LlmAgent({ name: 'a', subAgents: [new LlmAgent({ name: 'b', model })] }))).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringMatching(
          /^Agent a has no model, and no agent above it has one\. Set `model` to .* `models: /,
        ),
      }),
    );
    expect(() => runnerOf(new LlmAgent({ name: 'a', model, subAgents: [new LlmAgent({ name: 'b' })] }))).not.toThrow();
  });

  it('rejects an unknown model of an agent in an AgentTool', () => {
    const tools: Tool[] = [new AgentTool({ agent: new LlmAgent({ name: 'inner', model: 'other-1' }) })];
    expect(() => runnerOf(new LlmAgent({ name: 'a', model, tools }))).toThrow(
      expect.objectContaining({ code: 'MODEL_UNKNOWN' }),
    );
  });
});

describe('LlmAgent', () => {
  it('keeps frozen copies of its lists and settings (contract 24)', () => {
    const tools = [toolOf('look', () => 1)];
    const generateContentConfig = { labels: { a: '1' } };
    const agent = new LlmAgent({ name: 'a', tools, generateContentConfig });
    tools.pop();
    generateContentConfig.labels.a = '2';
    expect(agent.tools.length).toBe(1);
    expect(agent.generateContentConfig).toEqual({ labels: { a: '1' } });
    expect(Object.isFrozen(agent.tools)).toBe(true);
  });

  it('is resumable unless disallowTransferToParent is set (contract 29)', () => {
    expect(new LlmAgent({ name: 'a' }).resumable).toBe(true);
    expect(new LlmAgent({ name: 'a', disallowTransferToParent: true }).resumable).toBe(false);
  });
});
