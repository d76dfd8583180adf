import { createEvent, createEventActions, State } from '@thole/core';
import type { Plugin } from '@thole/core';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { LoggingPlugin } from '../../src/plugins/logging-plugin.ts';
import type { Run } from '../../src/runner/run.ts';
import type { Runner } from '../../src/runner/runner.ts';
import { hello, createSetup, outcomeOf, ref, rootOf } from '../support/llm-setup.ts';

const inputError = (sentence: string): unknown =>
  expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(sentence) });

describe('LlmAgent options', () => {
  const helper = rootOf(new ScriptedLlm(), { name: 'helper' });
  it.each<[unknown, string]>([
    [{ tools: [helper] }, 'tools[0] (helper) is an agent, not a tool. Wrap it: new AgentTool({ agent: helper }).'],
    [{ tools: [{ name: 'plain', runAsync: () => {} }] }, 'tools[0] (plain) is an agent'],
    [{ tools: [() => 1] }, 'wrap a function in FunctionTool'],
    [{ output_key: 'k' }, 'there is no option output_key. Did you mean outputKey?'],
    [{ instructions: 'Be brief.' }, 'there is no option instructions. Did you mean instruction?'],
    [{ generateContentConfig: { max_output_tokens: 1 } }, 'no member max_output_tokens. Did you mean maxOutputTokens?'],
    [{ generateContentConfig: { presencePenalty: 1 } }, 'Put options of one provider into providerOptions.'],
  ])('rejects %j and names the correct form', (options, sentence) => {
    const all = { name: 'root', ...(options as object) };
    expect(() => new LlmAgent(all)).toThrow(inputError(sentence) as Error);
  });
});

describe('Runner plugins', () => {
  class Guard implements Plugin {
    readonly name: string = 'guard';
    readonly beforeModelCallbacks = 0;
    inspect(): void {}
  }
  it.each<[string, unknown, string]>([
    ['a class', LoggingPlugin, 'Plugin LoggingPlugin is a class. Pass an instance: new LoggingPlugin(…).'],
    [
      'a misspelt hook',
      { name: 'p', beforeModelCallbackk: 1, onModelCallback: () => {} },
      'onModelCallback, which is not a hook',
    ],
    ['a misspelt ending', { name: 'p', beforeModelCalback() {} }, 'Did you mean beforeModelCallback?'],
    ['a name in snake_case', { name: 'p', before_model_callback: () => {} }, 'Did you mean beforeModelCallback?'],
    ['a hook that is an array', { name: 'p', afterRunCallback: [] }, 'Plugin p: afterRunCallback must be a function'],
  ])('rejects %s', async (_name, plugin, sentence) => {
    const setup = createSetup(rootOf(new ScriptedLlm()), { plugins: [plugin as Plugin] });
    await expect(setup).rejects.toEqual(inputError(sentence));
  });

  it('accepts hooks of a class and other members', async () => {
    await expect(createSetup(rootOf(new ScriptedLlm()), { plugins: [new Guard()] })).resolves.toBeDefined();
  });
});

describe('Runner.runAsync options', () => {
  it.each<[object, string]>([
    [{ user_id: 'ann' }, 'runAsync has no option user_id. Did you mean userId?'],
    [{ config: {} }, 'runAsync has no option config.'],
    [{ appName: 'another' }, 'appName must be "app", the app of the runner, or must be left out.'],
    [{ runConfig: { max_llm_calls: 1 } }, 'Did you mean maxLlmCalls?'],
  ])('rejects %j', async (options, sentence) => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm()));
    const { error } = await outcomeOf(runner.runAsync({ ...hello, ...options }));
    expect(error).toEqual(inputError(sentence));
  });

  it('accepts a complete session reference', async () => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm(says('Hi.'))));
    expect((await outcomeOf(runner.runAsync({ ...hello, ...ref }))).error).toBeUndefined();
  });

  it('explains how to create a missing session', async () => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm()));
    const { error } = await outcomeOf(runner.runAsync({ ...hello, sessionId: 'none' }));
    expect(error).toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringMatching(
        /"none" of user "ann" does not exist in app "app".*createSession\(.*autoCreateSession/,
      ),
    });
  });
});

describe('Runner.runEphemeral options', () => {
  it.each<[object, string]>([
    [{ sessionId: 's' }, 'runEphemeral has no option sessionId.'],
    [{ invocationId: 'i' }, 'runEphemeral has no option invocationId.'],
    [{ answeredBy: 'bob' }, 'runEphemeral has no option answeredBy.'],
    [{ runconfig: {} }, 'runEphemeral has no option runconfig. Did you mean runConfig?'],
  ])('rejects %j', async (options, sentence) => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm()));
    const { error } = await outcomeOf(runner.runEphemeral({ userId: 'ann', newMessage: 'Hi.', ...options }));
    expect(error).toEqual(inputError(sentence));
  });

  it('are named in the error of a missing argument', async () => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm()));
    const { error } = await outcomeOf((runner.runEphemeral as (p?: unknown) => Run).call(runner));
    expect(error).toEqual(inputError('The argument of runEphemeral must be an object'));
  });
});

describe('Runner options of one session', () => {
  type Method = (p: object) => unknown;
  const misspelt = 'timeoutMS';
  it.each<[Exclude<keyof Runner, symbol>, object]>([
    ['pendingInterrupts', ref],
    ['updateState', { ...ref, stateDelta: {} }],
    ['deleteSession', ref],
    ['deleteUserData', { userId: 'ann' }],
    ['cancel', ref],
    ['rewind', { ...ref, rewindBeforeInvocationId: 'i' }],
    ['fork', ref],
    ['compact', ref],
  ])('rejects unknown options and another app in %s', async (name, options) => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm()));
    const call = (more: unknown): unknown => (runner[name] as Method).call(runner, more as object);
    await expect(call({ ...options, [misspelt]: 1 })).rejects.toEqual(inputError(`${name} has no option ${misspelt}.`));
    await expect(call({ ...options, appName: 'b' })).rejects.toEqual(inputError('appName must be "app"'));
    await expect(call(undefined)).rejects.toEqual(inputError(`Options of ${name} must be an object`));
    expect(await stored()).toBeDefined();
  });

  it('suggests the option memory of deleteSession, and deletes nothing', async () => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm()));
    const options = { ...ref, memroy: true } as { userId: string; sessionId: string };
    await expect(runner.deleteSession(options)).rejects.toEqual(inputError('Did you mean memory?'));
    expect(await stored()).toBeDefined();
  });

  it('rejects unknown options of regenerate', async () => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm()));
    const { error } = await outcomeOf(runner.regenerate({ ...ref, invocationId: 'i', ...{ keepmemory: true } }));
    expect(error).toEqual(inputError('regenerate has no option keepmemory. Did you mean keepMemory?'));
  });

  it('suggests the option answers of resume', async () => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm()));
    const { error } = await outcomeOf(runner.resume({ ...ref, invocationId: 'i', ...{ anwsers: {} } }));
    expect(error).toEqual(inputError('resume has no option anwsers. Did you mean answers?'));
  });

  it('rejects wrong options of close, and stays open', async () => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm(says('Hi.'))));
    await expect((runner.close as Method).call(runner, { timeout: 1 })).rejects.toEqual(
      inputError('close has no option timeout. Did you mean timeoutMs?'),
    );
    await expect(runner.close({ timeoutMs: -1 })).rejects.toEqual(inputError('timeoutMs must be'));
    expect((await outcomeOf(runner.runAsync(hello))).error).toBeUndefined();
  });
});

describe('Runner.updateState', () => {
  it('writes state, also under its earlier name updateSessionState', async () => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm()));
    await runner.updateState({ userId: 'ann', sessionId: 's', stateDelta: { a: 1 } });
    await runner.updateSessionState({ userId: 'ann', sessionId: 's', stateDelta: { b: 2 } });
    expect((await stored()).state).toEqual({ a: 1, b: 2 });
  });
});

describe('State', () => {
  const state = (): State => new State({ read: () => undefined, copyInto: () => {} });

  it('rejects an assignment and names set', () => {
    expect(() => Object.assign(state(), { city: 'Ulm' })).toThrow(
      inputError('State has no member "city" to assign. Use state.set("city", value).') as Error,
    );
  });

  it('returns undefined for an unknown member', () => {
    expect((state() as unknown as { city?: string }).city).toBeUndefined();
  });
});

describe('createEvent and createEventActions', () => {
  it('reject names in snake_case and name the correct form', () => {
    for (const [snakeCase, camelCase] of [
      ['invocation_id', 'invocationId'],
      ['node_info', 'nodeInfo'],
    ]) {
      expect(() => createEvent({ author: 'a', [snakeCase!]: 'i' })).toThrow(
        inputError(`createEvent has no member ${snakeCase}. Did you mean ${camelCase}?`) as Error,
      );
    }
    const actions = { state_delta: {} };
    expect(() => createEventActions(actions as never)).toThrow(inputError('Did you mean stateDelta?') as Error);
  });

  it('keep other unknown members', () => {
    expect(createEvent({ author: 'a', avg_logprobs: 1 } as never)).toMatchObject({ avg_logprobs: 1 });
  });
});
