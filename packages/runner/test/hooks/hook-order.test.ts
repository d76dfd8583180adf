import type { Content, Plugin } from '@thole/core';
import { calls, fails, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createSetup, hello, rootOf, toolOf } from '../support/llm-setup.ts';

const contentOf = (text: string): Content => ({ role: 'model', parts: [{ text }] });

describe('The order of hooks', () => {
  it('is plugins first, then callbacks of the agent, also for errors (contract 21)', async () => {
    const seen: string[] = [];
    const names = [
      'beforeModelCallback',
      'afterModelCallback',
      'onModelErrorCallback',
      'beforeToolCallback',
      'afterToolCallback',
      'onToolErrorCallback',
    ] as const;
    const recordHooks = (owner: string, answer?: (name: string) => unknown) =>
      Object.fromEntries(names.map((name) => [name, async () => (seen.push(`${owner} ${name}`), answer?.(name))]));
    const recover = (name: string): unknown =>
      (
        { onModelErrorCallback: says('Recovered.'), onToolErrorCallback: { recovered: true } } as {
          [name: string]: unknown;
        }
      )[name];
    const agent = rootOf(new ScriptedLlm(calls('fail'), fails('MODEL_OVERLOADED')), {
      tools: [toolOf('fail', () => Promise.reject(new Error('broken')))],
      ...recordHooks('agent', recover),
    });
    const plugins = [{ name: 'p', ...recordHooks('plugin') }];
    const { runner } = await createSetup(agent, { plugins });
    await runner.runToCompletion(hello);
    const both = (name: string): string[] => [`plugin ${name}`, `agent ${name}`];
    expect(seen).toEqual(
      [
        'beforeModelCallback',
        'afterModelCallback',
        'beforeToolCallback',
        'onToolErrorCallback',
        'afterToolCallback',
        'beforeModelCallback',
        'onModelErrorCallback',
        'afterModelCallback',
      ].flatMap(both),
    );
  });

  it.each(['beforeAgentCallback', 'afterAgentCallback'] as const)(
    'ends at the first answer in %s, and answers of plugins come first (contract 21)',
    async (hook) => {
      const list = [(): undefined => undefined, async () => contentOf('second'), (): never => expect.unreachable()];
      const textOfRun = async (plugins: Plugin[]): Promise<string> => {
        const { runner } = await createSetup(rootOf(new ScriptedLlm(says('model')), { [hook]: list }), { plugins });
        return (await runner.runToCompletion(hello)).text;
      };
      expect(await textOfRun([])).toBe('second');
      expect(await textOfRun([{ name: 'p', [hook]: () => contentOf('plugin') }])).toBe('plugin');
    },
  );
});
