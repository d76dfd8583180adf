import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createSetup, hello, ref, rootOf, toolOf } from '../support/llm-setup.ts';

describe('Interrupts of a long-running call with a confirmation', () => {
  it('are first the confirmation, then the result of the call (contract 28)', async () => {
    const job = toolOf('job', () => ({ status: 'started' }), { isLongRunning: true, requireConfirmation: true });
    const model = new ScriptedLlm(calls('job', {}, 'c1'), says('Started.'), says('Done.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [job] }));
    const listed = async (): Promise<unknown[]> => {
      const { marks } = await stored();
      return [(await runner.pendingInterrupts(ref)).map(({ kind }) => kind), marks?.openInterrupts];
    };
    const { interrupts } = await runner.runToCompletion(hello);
    expect(interrupts).toMatchObject([{ kind: 'confirmation', functionCallId: 'c1' }]);
    expect(await listed()).toEqual([['confirmation'], 1]);
    const second = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }).result;
    expect([second.status, second.interrupts.map(({ id }) => id)]).toEqual(['paused', ['c1']]);
    expect(await listed()).toEqual([['longRunning'], 1]);
    expect(await runner.resume({ ...ref, answers: { c1: 'ready' } }).result).toMatchObject({ status: 'completed' });
    expect(await listed()).toEqual([[], 0]);
  });
});
