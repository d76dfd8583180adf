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

describe('an LlmAgent is refused', () => {
  it.each<[string, object, string]>([
    ['a name that is not an identifier', { name: 'no good' }, "An agent's name must be an identifier"],
    ['the name of the user', { name: 'user' }, "must not be called 'user'"],
    ['an option that is not there', { name: 'a', instructions: 'x' }, 'Agent a: there is no option instructions.'],
    [
      'a model that is none',
      { name: 'a', model: {} },
      'Agent a: model must be a model or the name of one, got an object.',
    ],
    [
      'an instruction that is a number',
      { name: 'a', instruction: 7 },
      'Agent a: instruction must be a string or a function, got a number.',
    ],
    ['tools that are not a list', { name: 'a', tools: {} }, 'Agent a: tools must be a list'],
    ['a tool that is none', { name: 'a', tools: [{ name: 'x' }] }, 'Agent a: tools[0] must be a tool or a toolset'],
    [
      'a callback that is none',
      { name: 'a', beforeToolCallback: [() => {}, 'x'] },
      'Agent a: beforeToolCallback must be a function',
    ],
    [
      'a config that takes an option’s place',
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
      'a sub-agent that is none',
      { name: 'a', subAgents: [{ name: 'b' }] },
      'An agent must be an object with name and runAsync',
    ],
    ['an empty outputKey', { name: 'a', outputKey: '' }, 'outputKey must not be empty'],
  ])('for %s, and the error names it', (_what, options, message) => {
    expect(() => new LlmAgent(options as LlmAgentOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });

  it('for two tools of one name, and the error names both (contract 24)', () => {
    const tools = [toolOf('look', () => 1), toolOf('see', () => 1), toolOf('look', () => 2)];
    expect(() => new LlmAgent({ name: 'a', tools })).toThrow(
      expect.objectContaining({
        code: 'DUPLICATE_NAME',
        message: 'Agent a has two tools called look: tools[0] and tools[2].',
      }),
    );
  });

  it.each(['adk_request_confirmation', 'adk_request_input', 'adk_request_credential', 'thole_timer'])(
    'for a tool with the name of the calls that record interrupts: %s',
    (name) => {
      expect(() => new LlmAgent({ name: 'a', tools: [toolOf(name, () => 1)] })).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(`tools[0]`) }),
      );
    },
  );

  it('for two agents of one name below it', () => {
    const child = (): LlmAgent => new LlmAgent({ name: 'b' });
    expect(() => new LlmAgent({ name: 'a', subAgents: [child(), child()] })).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_NAME' }),
    );
  });
});

describe('a runner refuses', () => {
  const runnerOf = (agent: LlmAgent): Runner =>
    new Runner({
      appName: 'app',
      agent,
      models: [modelNamed('known-1', model)],
      sessionService: new InMemorySessionService(),
    });

  it('an agent with an unknown model, and lists the known ones', () => {
    expect(() => runnerOf(new LlmAgent({ name: 'a', model: 'other-1' }))).toThrow(
      expect.objectContaining({
        code: 'MODEL_UNKNOWN',
        message: 'Agent a: no factory knows the model "other-1"; known are known-1.',
      }),
    );
  });

  it('an agent without a model in it or above it', () => {
    expect(() => runnerOf(new LlmAgent({ name: 'a', subAgents: [new LlmAgent({ name: 'b', model })] }))).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: 'Agent a has no model, and no agent above it has one.',
      }),
    );
    expect(() => runnerOf(new LlmAgent({ name: 'a', model, subAgents: [new LlmAgent({ name: 'b' })] }))).not.toThrow();
  });

  it('the same of an agent that is a tool', () => {
    const tools: Tool[] = [new AgentTool({ agent: new LlmAgent({ name: 'inner', model: 'other-1' }) })];
    expect(() => runnerOf(new LlmAgent({ name: 'a', model, tools }))).toThrow(
      expect.objectContaining({ code: 'MODEL_UNKNOWN' }),
    );
  });
});

describe('an LlmAgent', () => {
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

  it('may be resumed unless it could not hand back (contract 29)', () => {
    expect(new LlmAgent({ name: 'a' }).resumable).toBe(true);
    expect(new LlmAgent({ name: 'a', disallowTransferToParent: true }).resumable).toBe(false);
  });
});
