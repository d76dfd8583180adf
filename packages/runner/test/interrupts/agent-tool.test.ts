import { InMemorySessionService } from '@thole/mem-services';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { answersIn, createSetup, hello, outcomeOf, ref, rootOf, textsIn, toolOf } from '../support/llm-setup.ts';

describe('AgentTool', () => {
  it('pauses with its agent, and continues it after the answer in another process (contracts 25, 28)', async () => {
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    let paid = 0;
    const keys = new Set<string>();
    const pay = toolOf('pay', () => ++paid, { requireConfirmation: true });
    const look = toolOf('look', (_args, context) => {
      keys.add(context.idempotencyKey);
      context.state.set('seen', true);
      return 'seen';
    });
    const setupWith = (outer: ScriptedLlm, inner: ScriptedLlm): ReturnType<typeof createSetup> => {
      const agent = new LlmAgent({ name: 'clerk', description: 'Pays.', model: inner, tools: [pay, look] });
      return createSetup(rootOf(outer, { tools: [new AgentTool({ agent })] }), { runtime, sessionService });
    };
    const before = await setupWith(
      new ScriptedLlm(calls('clerk', { request: 'Pay.' }, 'c1')),
      new ScriptedLlm(calls('look', {}, 'd1'), calls('pay', { sum: 5 }, 'd2')),
    );
    const first = await before.runner.runToCompletion(hello);
    expect(first).toMatchObject({
      status: 'paused',
      interrupts: [{ kind: 'confirmation', toolName: 'clerk', functionCallId: 'c1' }],
    });
    expect(paid).toBe(0);
    const after = await setupWith(new ScriptedLlm(says('All paid.')), new ScriptedLlm(says('Paid 5.')));
    const { id } = first.interrupts[0]!;
    const { events, error } = await outcomeOf(after.runner.resume({ ...ref, answers: { [id]: true } }));
    expect(error).toBeUndefined();
    expect(textsIn(events).at(-1)).toBe('root: All paid.');
    expect(paid).toBe(1);
    expect(keys.size).toBe(1);
    const { events: stored, state } = (await sessionService.getSession(ref))!;
    expect(answersIn(stored).at(-1)).toEqual(['clerk', { result: 'Paid 5.' }]);
    expect(state).toEqual({ seen: true });
  });

  it('stores the tokens of its agent with the answer, and counts them once (contract 25)', async () => {
    const used = { usageMetadata: { totalTokenCount: 7 } };
    const agent = new LlmAgent({
      name: 'clerk',
      description: 'x',
      model: new ScriptedLlm({ ...says('Yes.'), ...used }),
    });
    const model = new ScriptedLlm(calls('clerk', { request: '?' }, 'c1'), says('Done.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }));
    expect((await runner.runToCompletion(hello)).usage.totalTokenCount).toBe(7);
    const answer = (await stored()).events.find((event) => answersIn([event]).length > 0);
    expect(answer?.usageMetadata).toEqual({ totalTokenCount: 7 });
  });
});
