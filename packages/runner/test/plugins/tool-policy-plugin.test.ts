import type { JsonObject } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { requestInputTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { ToolPolicyPlugin } from '../../src/plugins/tool-policy-plugin.ts';
import type { ToolPolicyRule } from '../../src/plugins/tool-policy-plugin.ts';
import { answersIn, createSetup, hello, outcomeOf, ref, rootOf, stringsSchema, toolOf } from '../support/llm-setup.ts';

async function setupWith(rules: ToolPolicyRule[], args: JsonObject = { sum: 5 }): Promise<Setup> {
  let paid = 0;
  const pay = toolOf('pay', () => ++paid);
  const model = new ScriptedLlm(calls('pay', args, 'c1'), says('Well.'));
  const plugins = [new ToolPolicyPlugin({ rules })];
  const setup = await createSetup(rootOf(model, { tools: [pay] }), { plugins });
  return { ...setup, paid: () => paid };
}

type Setup = Awaited<ReturnType<typeof createSetup>> & { paid(): number };

describe('ToolPolicyPlugin', () => {
  it('denies a call with its message, and the tool does not run', async () => {
    const { runner, paid } = await setupWith([{ tool: 'pay', decision: 'deny', message: 'No payments today.' }]);
    const { events } = await runner.runToCompletion(hello);
    expect(answersIn(events)).toEqual([['pay', { error: 'No payments today.' }]]);
    expect(paid()).toBe(0);
  });

  it.each([{ rules: [{ decision: 'ask' as const }] }, { rules: [], default: 'deny' as const }])(
    'allows the typed answer of an agent with tools, unless a rule names it: %o',
    async (options) => {
      const model = new ScriptedLlm(calls('set_model_response', { city: 'Oslo' }));
      const agent = rootOf(model, { tools: [toolOf('pay', () => 1)], outputSchema: stringsSchema('city') });
      const { runner } = await createSetup(agent, { plugins: [new ToolPolicyPlugin(options)] });
      const { output, status } = await runner.runToCompletion(hello);
      expect([output, status]).toEqual([{ city: 'Oslo' }, 'completed']);
    },
  );

  it('requests a confirmation by tool and arguments; the first matching rule decides', async () => {
    const rules: ToolPolicyRule[] = [
      { tool: ['look'], decision: 'deny' },
      { tool: 'pay', when: ({ sum }) => (sum as number) > 3, decision: 'ask', message: 'A large sum.' },
      { decision: 'allow' },
    ];
    const small = await setupWith(rules, { sum: 1 });
    expect((await small.runner.runToCompletion(hello)).status).toBe('completed');
    expect(small.paid()).toBe(1);
    const large = await setupWith(rules);
    const { interrupts } = await large.runner.runToCompletion(hello);
    expect(interrupts).toMatchObject([{ kind: 'confirmation', message: 'A large sum.', toolName: 'pay' }]);
    await large.runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }).done;
    expect(large.paid()).toBe(1);
  });

  it('decides again after an approval: a rule that now denies wins', async () => {
    let isClosed = false;
    const { runner, paid, stored } = await setupWith([
      { when: () => isClosed, decision: 'deny', message: 'Closed.' },
      { decision: 'ask' },
    ]);
    const { interrupts } = await runner.runToCompletion(hello);
    isClosed = true;
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }).done;
    expect(paid()).toBe(0);
    expect(answersIn((await stored()).events).at(-1)).toEqual(['pay', { error: 'Closed.' }]);
  });

  it('throws INVALID_INPUT for invalid rules and names them', () => {
    expect(() => new ToolPolicyPlugin({ rules: [{ decision: 'maybe' as never }] })).toThrow(/rules\[0\].decision/);
    expect(() => new ToolPolicyPlugin({ rules: [{ tools: 'pay', decision: 'ask' } as never] })).toThrow(/tools/);
    expect(() => new ToolPolicyPlugin({ rules: 'all' as never })).toThrow(/rules/);
    const byPattern = { tool: /pay/ as never, decision: 'deny' } as const;
    expect(() => new ToolPolicyPlugin({ rules: [byPattern] })).toThrow(
      'rules[0].tool must be a tool name or a list of tool names, got a RegExp.',
    );
  });
});

describe('requestInputTool', () => {
  it('pauses the run for a question of the model, and returns the answer', async () => {
    const model = new ScriptedLlm(calls('request_input', { message: 'Which day?' }, 'c1'), says('Monday it is.'));
    const responseSchema = { type: 'string', enum: ['Monday', 'Tuesday'] };
    const { runner, stored } = await createSetup(rootOf(model, { tools: [requestInputTool({ responseSchema })] }));
    const { interrupts } = await runner.runToCompletion(hello);
    expect(interrupts).toMatchObject([{ kind: 'input', message: 'Which day?', responseSchema }]);
    const answer = (value: string): ReturnType<typeof outcomeOf> =>
      outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: value } }));
    expect((await answer('Friday')).error?.code).toBe('ANSWER_INVALID');
    expect((await answer('Monday')).error).toBeUndefined();
    expect(answersIn((await stored()).events).at(-1)).toEqual(['request_input', { result: 'Monday' }]);
  });
});
