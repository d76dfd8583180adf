import type { Content, Event, LogFields } from '@thole/core';
import { calls, fails, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { GlobalInstructionPlugin } from '../../src/plugins/global-instruction-plugin.ts';
import { LoggingPlugin } from '../../src/plugins/logging-plugin.ts';
import { ReflectAndRetryToolPlugin } from '../../src/plugins/reflect-and-retry-tool-plugin.ts';
import { SaveFilesAsArtifactsPlugin } from '../../src/plugins/save-files-as-artifacts-plugin.ts';
import { answersIn, hello, createSetup, outcomeOf, ref, rootOf, textsIn, toolOf } from '../support/llm-setup.ts';

describe('LoggingPlugin', () => {
  const turn = async (content: boolean): Promise<{ message: string; fields: LogFields | undefined }[]> => {
    const model = new ScriptedLlm(calls('pay', { card: '4711' }), says('Paid, dear Ann.'));
    const { runner, runtime } = await createSetup(rootOf(model, { tools: [toolOf('pay', () => 'receipt 99')] }), {
      plugins: [new LoggingPlugin({ content })],
    });
    await runner.runToCompletion({ ...hello, newMessage: 'my secret' });
    return runtime.logs.filter(({ level }) => level === 'info');
  };

  it('logs the steps of a run in order, without content', async () => {
    const lines = await turn(false);
    expect(lines.map(({ message }) => message)).toEqual([
      ...['user message', 'event', 'run begins', 'agent begins', 'model call starts', 'model call ends', 'event'],
      ...[
        'tool begins',
        'tool has answered',
        'event',
        'model call starts',
        'model call ends',
        'event',
        'agent has ended',
        'run has ended',
      ],
    ]);
    expect(lines[7]!.fields).toMatchObject({ tool: 'pay', sessionId: 's', agentName: 'root' });
    for (const word of ['secret', '4711', 'receipt', 'dear']) expect(JSON.stringify(lines)).not.toContain(word);
  });

  it('logs content with content: true', async () => {
    const all = JSON.stringify(await turn(true));
    for (const word of ['secret', '4711', 'receipt', 'dear']) expect(all).toContain(word);
  });

  it('does not fail the run if the logger throws (contract 21)', async () => {
    const { runner, runtime } = await createSetup(rootOf(new ScriptedLlm(says('Fine.'))), {
      plugins: [new LoggingPlugin()],
    });
    Object.defineProperty(runtime, 'logger', {
      value: {
        ...runtime.logger,
        info: () => {
          throw new Error('The disk is full.');
        },
      },
    });
    expect((await runner.runToCompletion(hello)).text).toBe('Fine.');
  });

  it('logs errors by code, with name and message', async () => {
    const { runner, runtime } = await createSetup(rootOf(new ScriptedLlm(fails('MODEL_AUTH'))), {
      plugins: [new LoggingPlugin()],
    });
    await outcomeOf(runner.runAsync(hello));
    const line = runtime.logs.find(({ message }) => message === 'model failed');
    expect(line!.fields).toMatchObject({
      code: 'MODEL_AUTH',
      error: expect.stringMatching(/^TholeError: .* with MODEL_AUTH/),
    });
  });
});

describe('GlobalInstructionPlugin', () => {
  it('adds its instruction with state values before the instruction of each agent', async () => {
    const model = new ScriptedLlm(says('Hi.'));
    const plugins = [new GlobalInstructionPlugin({ globalInstruction: 'House: {house}.' })];
    const { runner } = await createSetup(rootOf(model, { instruction: 'Own.' }), { plugins }, { house: 'Thole' });
    await runner.runToCompletion(hello);
    expect(model.requests[0]!.config.systemInstruction).toMatch(/^House: Thole\.\n\nOwn\./);
  });

  it('rejects a missing globalInstruction', () => {
    expect(() => new GlobalInstructionPlugin({} as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

describe('SaveFilesAsArtifactsPlugin', () => {
  const message: Content = {
    role: 'user',
    parts: [{ text: 'See:' }, { inlineData: { mimeType: 'text/plain', data: btoa('hi'), displayName: 'note.txt' } }],
  };

  it('saves files as artifacts and replaces them with lines that name them', async () => {
    const model = new ScriptedLlm(says('Seen.'));
    const { runner, artifacts, stored } = await createSetup(rootOf(model), {
      plugins: [new SaveFilesAsArtifactsPlugin()],
    });
    await runner.runToCompletion({ ...hello, newMessage: message });
    const kept = await artifacts.loadArtifact({ ...ref, filename: 'note.txt' });
    expect(kept!.inlineData).toMatchObject({ mimeType: 'text/plain', data: btoa('hi') });
    const [first] = (await stored()).events;
    expect(JSON.stringify(first!.content)).not.toContain(btoa('hi'));
    expect(textsIn([first!])[0]).toContain('"note.txt"');
    expect(JSON.stringify(model.requests[0]!.contents)).toContain('note.txt');
    expect(first!.actions.artifactDelta).toEqual({ 'note.txt': 0 });
  });

  it('leaves a message without files unchanged', async () => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(says('Hi.'))), {
      plugins: [new SaveFilesAsArtifactsPlugin()],
      artifactService: undefined,
    });
    await runner.runToCompletion(hello);
    expect(textsIn((await stored()).events)[0]).toBe('user: hello');
  });
});

describe('ReflectAndRetryToolPlugin', () => {
  const guidance = (events: readonly Event[]): unknown[] =>
    answersIn(events).map(([, answer]) => answer['whatToDoNow'] ?? answer);
  const flaky = (...successes: boolean[]): ReturnType<typeof toolOf> =>
    toolOf('look', () => {
      if (!successes.shift()) throw new Error('No such city.');
      return { sun: true };
    });

  it('returns the error and asks the model for other arguments, then to stop', async () => {
    const model = new ScriptedLlm(calls('look'), calls('look'), calls('look'), says('Sorry.'));
    const plugins = [new ReflectAndRetryToolPlugin({ maxRetries: 2 })];
    const { runner } = await createSetup(rootOf(model, { tools: [flaky()] }), { plugins });
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)[0]![1]).toMatchObject({ error: 'No such city.', attempt: 1 });
    expect(guidance(events)).toEqual([
      expect.stringContaining('call it with other arguments'),
      expect.stringContaining('call it with other arguments'),
      expect.stringContaining('has failed 3 times'),
    ]);
  });

  it('does not return the text of the error with toolErrors: redacted', async () => {
    const model = new ScriptedLlm(calls('look'), says('Sorry.'));
    const plugins = [new ReflectAndRetryToolPlugin()];
    const { runner } = await createSetup(rootOf(model, { tools: [flaky()] }), { plugins });
    const events = await Array.fromAsync(runner.runAsync({ ...hello, runConfig: { toolErrors: 'redacted' } }));
    expect(answersIn(events)[0]![1]).toMatchObject({ error: 'look failed.', attempt: 1 });
  });

  it('resets its count after a success and in the next invocation', async () => {
    const plugins = [new ReflectAndRetryToolPlugin({ maxRetries: 1 })];
    const model = new ScriptedLlm(calls('look'), calls('look'), calls('look'), says('x'), calls('look'), says('y'));
    const { runner } = await createSetup(rootOf(model, { tools: [flaky(false, true, false, false)] }), { plugins });
    const first = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(first).map(([, { attempt }]) => attempt)).toEqual([1, undefined, 1]);
    const second = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(second).map(([, { attempt }]) => attempt)).toEqual([1]);
  });

  it('rejects a negative maxRetries', () => {
    expect(() => new ReflectAndRetryToolPlugin({ maxRetries: -1 })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });
});

describe('Options of plugins and AgentTool', () => {
  const agent = rootOf(new ScriptedLlm());

  it.each<[string, () => unknown, string]>([
    [
      'LoggingPlugin',
      () => new LoggingPlugin({ contents: true } as never),
      'has no option contents. Did you mean content?',
    ],
    [
      'LoggingPlugin',
      () => new LoggingPlugin({ content: 'false' as never }),
      'content of LoggingPlugin must be a boolean',
    ],
    [
      'GlobalInstructionPlugin',
      () => new GlobalInstructionPlugin({ globalInstruction: 'x', nam: 'y' } as never),
      'nam',
    ],
    ['ReflectAndRetryToolPlugin', () => new ReflectAndRetryToolPlugin({ maxRetrys: 1 } as never), 'maxRetrys'],
    ['ReflectAndRetryToolPlugin', () => new ReflectAndRetryToolPlugin({ maxRetries: '1' as never }), 'got a string'],
    ['SaveFilesAsArtifactsPlugin', () => new SaveFilesAsArtifactsPlugin({ nam: 'y' } as never), 'nam'],
    ['AgentTool', () => new AgentTool({ agent, skipSummarisation: true } as never), 'skipSummarization?'],
    [
      'AgentTool',
      () => new AgentTool({ agent, idempotent: 'no' as never }),
      'idempotent of tool root must be a boolean',
    ],
  ])('rejects wrong options of %s with INVALID_INPUT (contract 42)', (_, create, message) => {
    expect(create).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });
});
