import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSetup, hello, outcomeOf, rootOf, toolOf } from '../support/llm-setup.ts';

const step = z.object({ cost: z.number(), title: z.string().min(3) });
const outputSchema = z.object({ steps: z.array(step), prices: z.record(z.string(), z.number()).optional() });
const valid = { cost: 1, title: 'Walk' };

async function errorFor(answer: unknown): Promise<string | undefined> {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const { runner } = await createSetup(
    rootOf(new ScriptedLlm(says(text), says(text), says(text)), { name: 'planner', outputSchema }),
  );
  const { error } = await outcomeOf(runner.runAsync(hello));
  expect(error?.code).toBe('OUTPUT_INVALID');
  return error?.message;
}

describe('OUTPUT_INVALID', () => {
  it.each([
    [{ steps: [valid, { cost: 'secret', title: 'Walk' }] }, 'its member steps[1].cost must be a number, got a string'],
    [{ steps: [{ title: 'secret' }] }, 'its member steps[0].cost must be a number, got undefined'],
    [{ steps: 'secret' }, 'its member steps must be an array, got a string'],
    [{ steps: [{ cost: 1, title: 'no' }] }, 'its member steps[0].title does not fit its schema'],
    [{ steps: [], prices: { secret: 'secret' } }, 'its member prices does not fit its schema'],
    ['secret', 'it is not JSON'],
    [['secret'], 'it must be an object, got an array'],
  ])('names the declared member that does not fit, without content: %j (contract 42)', async (answer, problem) => {
    const start = 'The answer of agent planner did not fit its outputSchema, 3 times.';
    expect(await errorFor(answer)).toBe(`${start} The problem of the last answer: ${problem}.`);
  });

  it('names the member of an answer that the model gave with set_model_response', async () => {
    const bad = calls('set_model_response', { steps: [{ ...valid, cost: 'secret' }] });
    const setup = rootOf(new ScriptedLlm(bad, bad, bad), { outputSchema, tools: [toolOf('look', () => 1)] });
    const { runner } = await createSetup(setup);
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error?.message).toContain('its member steps[0].cost must be a number, got a string.');
  });
});
