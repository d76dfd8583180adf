import { calls, says, ScriptedLlm } from '@thole/testing';
import type { Tool } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { answersIn, createSetup, hello, ref, rootOf, toolOf } from '../support/llm-setup.ts';

const confirmed = { requireConfirmation: true };

describe('Runner.resume with a tool of another kind than the stored call', () => {
  it.each<[string, Tool, Tool, unknown]>([
    ['long-running now', toolOf('pay', () => 'paid', confirmed), longRunning(() => 'begun'), { result: 'begun' }],
    [
      'long-running and silent now',
      toolOf('pay', () => 'paid', confirmed),
      longRunning(() => undefined),
      { result: null },
    ],
    [
      'not long-running any more',
      longRunning(() => 'begun'),
      toolOf('pay', () => 'paid', confirmed),
      { result: 'paid' },
    ],
  ])('calls the model after the answer of a tool that is %s (contract 28)', async (_, before, after, answer) => {
    const first = await createSetup(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [before] }));
    const { interrupts } = await first.runner.runToCompletion(hello);
    const model = new ScriptedLlm(says('Done.'));
    const services = { sessionService: first.sessions, runtime: first.runtime };
    const { runner } = await createSetup(rootOf(model, { tools: [after] }), services);
    const result = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }).result;
    expect(result).toMatchObject({ status: 'completed', interrupts: [] });
    expect(answersIn((await first.stored()).events).at(-1)).toEqual(['pay', answer]);
    model.assertDone();
  });
});

/** Returns a long-running tool that requires a confirmation. */
function longRunning(run: () => unknown): Tool {
  return toolOf('pay', run, { ...confirmed, isLongRunning: true });
}
