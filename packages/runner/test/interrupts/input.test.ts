import type { Json, Tool } from '@thole/core';
import { parseAnswerIssues } from '@thole/core/kit';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createDurableStore } from '../support/durable-store.ts';
import { agentOf, says as sayingEvent } from '../support/setup.ts';
import { answersIn, createSetup, hello, outcomeOf, ref, rootOf, textsIn, toolOf } from '../support/llm-setup.ts';

/** Returns a tool that requests input twice, and a record of its runs. */
function createAskingTool(): { tool: Tool; runs: { key: string; attempt: Json; picked: string }[] } {
  const runs: { key: string; attempt: Json; picked: string }[] = [];
  let picks = 0;
  const tool = toolOf('book', async (_args, context) => {
    const picked = await context.step('pick', () => `pick ${++picks}`);
    const attempt = context.state.get('attempt') ?? null;
    context.state.set('attempt', runs.length);
    runs.push({ key: context.idempotencyKey, attempt, picked });
    const day = await context.requestInput({ message: 'Which day?' });
    const room = await context.requestInput({ message: 'Which room?' });
    return { day, room };
  });
  return { tool, runs };
}

describe('context.requestInput of a tool', () => {
  it('runs the tool again from its start, with the n-th answer for the n-th request (contract 28)', async () => {
    const { tool, runs } = createAskingTool();
    const { runnerOf, events } = await createDurableStore();
    const before = runnerOf(rootOf(new ScriptedLlm(calls('book', {}, 'c1')), { tools: [tool] }));
    const first = await before.runToCompletion(hello);
    expect(first.interrupts).toMatchObject([{ kind: 'input', message: 'Which day?', functionCallId: 'c1' }]);
    const second = before.resume({ ...ref, answers: { [first.interrupts[0]!.id]: 'Monday' } });
    const { interrupts } = await second.result;
    expect(interrupts).toMatchObject([{ kind: 'input', message: 'Which room?' }]);
    const after = runnerOf(rootOf(new ScriptedLlm(says('Booked.')), { tools: [tool] }));
    await outcomeOf(after.resume({ ...ref, answers: { [interrupts[0]!.id]: 7 } }));
    expect(answersIn(await events()).at(-1)).toEqual(['book', { day: 'Monday', room: 7 }]);
    expect(new Set(runs.map(({ key }) => key)).size).toBe(1);
    expect(runs).toHaveLength(3);
  });

  it('is rejected, like a long wait, if the app cannot pause', async () => {
    const failures: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      const waits = [() => context.requestInput({ message: 'Which day?' }), () => context.sleep(61_000)];
      for (const wait of waits) await wait().catch((error: unknown) => failures.push(error));
      yield sayingEvent(context, 'Done.');
    });
    const app = { name: 'app', rootAgent: agent, resumability: { isResumable: false } };
    const { runner } = await createSetup(agent, { app, appName: undefined, agent: undefined } as never);
    expect((await runner.runToCompletion(hello)).text).toBe('Done.');
    const message = expect.stringContaining('is not possible, because the run cannot pause');
    expect(failures).toMatchObject([
      { code: 'INVALID_INPUT', message },
      { code: 'INVALID_INPUT', message },
    ]);
  });

  it('drops the state of earlier attempts, and does not repeat steps before the request', async () => {
    const { tool, runs } = createAskingTool();
    const model = new ScriptedLlm(calls('book', {}, 'c1'), says('Booked.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const first = await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({});
    const { interrupts } = await runner.resume({ ...ref, answers: { [first.interrupts[0]!.id]: 'Monday' } }).result;
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 7 } }).done;
    expect(runs.map(({ attempt, picked }) => [attempt, picked])).toEqual([
      [null, 'pick 1'],
      [null, 'pick 1'],
      [null, 'pick 1'],
    ]);
    expect((await stored()).state).toEqual({ attempt: 2 });
  });

  it('leaves the call without an answer, which the prompt shows as waiting', async () => {
    const { tool } = createAskingTool();
    const model = new ScriptedLlm(calls('book', {}, 'c1'), says('It waits.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    await runner.runToCompletion(hello);
    expect(answersIn((await stored()).events)).toEqual([]);
    await runner.runToCompletion({ ...hello, newMessage: 'And now?' });
    const prompt = JSON.stringify(model.requests[1]!.contents);
    expect(prompt).toContain('Waiting for');
    expect(prompt).not.toContain('outcome unknown');
    expect(prompt).not.toContain('adk_request_input');
    expect(prompt).not.toContain('pick 1');
  });

  it('is shown to the model only as the call of the tool (contract 17)', async () => {
    const { tool } = createAskingTool();
    const model = new ScriptedLlm(calls('book', {}, 'c1'), says('Booked.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    const first = await runner.runToCompletion(hello);
    const { interrupts } = await runner.resume({ ...ref, answers: { [first.interrupts[0]!.id]: 'Monday' } }).result;
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 7 } }).done;
    expect(model.requests[1]!.contents.map(({ parts }) => Object.keys(parts![0]!)[0])).toEqual([
      'text',
      'functionCall',
      'functionResponse',
    ]);
  });
});

describe('An answer that does not fit the schema of its request', () => {
  it('is rejected with a message that parseAnswerIssues reads (contract 28)', async () => {
    const properties = { room: { type: 'integer' }, nights: { type: 'integer', maximum: 3 } };
    const responseSchema = { type: 'object', properties, required: ['room'] };
    const ask = toolOf('ask', async (_args, context) => context.requestInput({ message: 'Which?', responseSchema }));
    const model = new ScriptedLlm(calls('ask', {}, 'c1'));
    const { runner } = await createSetup(rootOf(model, { tools: [ask] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: { nights: 4 } } }));
    expect(error?.code).toBe('ANSWER_INVALID');
    const issues = parseAnswerIssues(error?.message ?? '');
    expect(issues?.toSorted()).toEqual(['nights: must be at most 3', 'room: is required']);
  });
});

describe('Several answers in one message', () => {
  it('become one event each, with its id, and continue the agent once (contract 28)', async () => {
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const ask = toolOf('ask', async (_args, context) => context.requestInput({ message: 'Which?' }));
    const model = new ScriptedLlm(
      {
        content: {
          role: 'model',
          parts: [...calls('pay', {}, 'c1').content!.parts!, ...calls('ask', {}, 'c2').content!.parts!],
        },
      },
      says('Done.'),
    );
    const { runner, stored } = await createSetup(rootOf(model, { tools: [pay, ask] }));
    const { interrupts, invocationId } = await runner.runToCompletion(hello);
    expect(interrupts.map(({ kind }) => kind).sort()).toEqual(['confirmation', 'input']);
    const [one, other] = [...interrupts].sort((a, b) => (a.kind < b.kind ? -1 : 1));
    const waits = await runner.resume({ ...ref, answers: { [one!.id]: true } }).result;
    expect(waits).toMatchObject({ status: 'paused', interrupts: [{ id: other!.id }] });
    expect(model.requests).toHaveLength(1);
    await runner.cancel({ ...ref, invocationId });
    expect((await stored()).events.find(({ id }) => id === `${one!.id}:answer`)).toMatchObject({
      customMetadata: { answeredBy: 'ann' },
    });
  });

  it('are stored in the order of the message, the state with the first', async () => {
    const pay = toolOf('pay', ({ sum }) => ({ sum }), { requireConfirmation: true });
    const model = new ScriptedLlm(
      { content: { role: 'model', parts: [1, 2].flatMap((sum) => calls('pay', { sum }, `c${sum}`).content!.parts!) } },
      says('Done.'),
    );
    const { runner, stored } = await createSetup(rootOf(model, { tools: [pay] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const ids = interrupts.map(({ id }) => id).reverse();
    const parts = ids.map((id) => ({
      functionResponse: { id, name: 'adk_request_confirmation', response: { confirmed: true } },
    }));
    const request = { ...hello, newMessage: { role: 'user' as const, parts }, stateDelta: { seen: 1 } };
    expect((await runner.runToCompletion(request)).text).toBe('Done.');
    const { events } = await stored();
    expect(events.filter(({ actions }) => 'seen' in actions.stateDelta).map(({ id }) => id)).toEqual([
      `${ids[0]}:answer`,
    ]);
    expect(events.flatMap(({ id }) => (id.endsWith(':answer') ? [id] : []))).toEqual(ids.map((id) => `${id}:answer`));
    expect(model.requests).toHaveLength(2);
  });
});

describe('A plain text during a pause', () => {
  it.each(['yes', 'approve', '{"confirmed": true}'])(
    'does not approve a tool: %s (contract 28)',
    async (newMessage) => {
      let paid = 0;
      const pay = toolOf('pay', () => ++paid, { requireConfirmation: true });
      const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('It waits.'));
      const { runner, stored } = await createSetup(rootOf(model, { tools: [pay] }));
      const { interrupts, invocationId } = await runner.runToCompletion(hello);
      const other = await runner.runToCompletion({ ...hello, newMessage });
      expect(other).toMatchObject({ status: 'completed', text: 'It waits.' });
      expect(other.invocationId).not.toBe(invocationId);
      expect(paid).toBe(0);
      expect(await runner.pendingInterrupts(ref)).toEqual(interrupts);
      expect(textsIn((await stored()).events).at(-1)).toBe('root: It waits.');
    },
  );
});
