import { createEvent, textOf, TholeError } from '@thole/core';
import type { Agent, App, Content, Event, Interrupt, JsonObject, Plugin, Tool } from '@thole/core';
import { calls, callsAll, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ToolPolicyPlugin } from '../../src/plugins/tool-policy-plugin.ts';
import type { Runner } from '../../src/runner/runner.ts';
import { createDurableStore, createStuckTool, leaseToDeadProcess, runAndClose } from '../support/durable-store.ts';
import type { DurableStore } from '../support/durable-store.ts';
import { agentOf, says as sayingEvent } from '../support/setup.ts';
import {
  answersIn,
  hello,
  outcomeOf,
  ref,
  rootOf,
  settle,
  stringsSchema,
  textsIn,
  toolOf,
} from '../support/llm-setup.ts';

/** Approves a call, stops its process while the tool runs, and recovers: `interrupt` asks whether the call runs again. */
async function crashInApprovedCall(
  runnerOf: DurableStore['runnerOf'],
  { pay, args, answer }: { pay: Tool; args: JsonObject; answer: JsonObject },
): Promise<{ after: Runner; interrupt: Interrupt }> {
  const app = { onInDoubt: 'ask-person' as const };
  const before = runnerOf(rootOf(new ScriptedLlm(calls('pay', args, 'c1')), { tools: [pay] }), app);
  const { interrupts } = await before.runToCompletion(hello);
  const run = before.resume({ ...ref, answers: { [interrupts[0]!.id]: answer }, runConfig: { reader: 'detached' } });
  await settle();
  await before.close();
  await run.done;
  const after = runnerOf(rootOf(new ScriptedLlm(says('Paid.')), { tools: [pay] }), app);
  await Array.fromAsync(after.recover());
  const [interrupt] = await after.pendingInterrupts(ref);
  return { after, interrupt: interrupt! };
}

describe('Runner.close', () => {
  it('leaves the invocation unfinished in a durable store, and recover() continues it', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool, runs } = createStuckTool({ idempotent: true });
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] })));
    expect(textsIn(await events())).toEqual(['user: hello', 'root: functionCall']);
    const after = runnerOf(rootOf(new ScriptedLlm(says('Paid.')), { tools: [tool] }));
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ ref, outcome: 'completed' }]);
    expect(runs()).toBe(2);
    expect(textsIn(await events()).at(-1)).toBe('root: Paid.');
    expect(await Array.fromAsync(after.recover())).toEqual([]);
  });
});

describe('Runner.close({ timeoutMs })', () => {
  it('lets a run store its next event first', async () => {
    const { runnerOf, events, runtime } = await createDurableStore();
    const gate = Promise.withResolvers<string>();
    const tools = [toolOf('look', () => gate.promise)];
    const runner = runnerOf(rootOf(new ScriptedLlm(calls('look', {}, 'c1'), says('never')), { tools }));
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    const closing = runner.close({ timeoutMs: 5_000 });
    await settle();
    gate.resolve('seen');
    await closing;
    expect((await run.result).error?.code).toBe('RUN_ABORTED');
    expect(textsIn(await events())).toEqual(['user: hello', 'root: functionCall', 'root: functionResponse']);
    await runtime.advance(10_000);
    const after = runnerOf(rootOf(new ScriptedLlm(says('Seen.')), { tools }));
    await Array.fromAsync(after.recover());
    expect(textsIn(await events()).at(-1)).toBe('root: Seen.');
  });
});

describe('A call in doubt', () => {
  const cases: [string, Partial<Tool>, Partial<App>, JsonObject, number][] = [
    ['is reported as unknown by default', {}, {}, { error: expect.stringContaining('outcome unknown') }, 1],
    ['runs again if the tool is idempotent', { idempotent: true }, {}, { paid: true }, 2],
    ['gets the result of probe', { probe: () => ({ result: { found: 1 } }) }, {}, { found: 1 }, 1],
    ['runs if probe says that it was not done', { probe: () => 'not-done' }, {}, { paid: true }, 2],
    ['is reported as unknown if probe does not know', { probe: () => 'unknown' }, {}, { error: expect.any(String) }, 1],
  ];
  it.each(cases)('%s', async (_, more, app, answer, count) => {
    const { runnerOf, events } = await createDurableStore();
    const { tool, runs } = createStuckTool(more);
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] }), app));
    const after = runnerOf(rootOf(new ScriptedLlm(says('Well.')), { tools: [tool] }), app);
    await Array.fromAsync(after.recover());
    expect(answersIn(await events())).toEqual([['pay', answer]]);
    expect(runs()).toBe(count);
  });

  it('becomes a confirmation request with onInDoubt: ask-person', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool, runs } = createStuckTool();
    const app = { onInDoubt: 'ask-person' as const };
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] }), app));
    const after = runnerOf(rootOf(new ScriptedLlm(says('Paid.')), { tools: [tool] }), app);
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'paused' }]);
    const [interrupt] = await after.pendingInterrupts(ref);
    expect(interrupt).toMatchObject({ kind: 'confirmation', toolName: 'pay' });
    await outcomeOf(after.resume({ ...ref, answers: { [interrupt!.id]: true } }));
    expect(runs()).toBe(2);
    expect(answersIn(await events()).at(-1)).toEqual(['pay', { paid: true }]);
  });

  it('is reported as unknown if the person rejects it, or if it is in doubt again', async () => {
    for (const isApproved of [false, true]) {
      const { runnerOf, events } = await createDurableStore();
      let runs = 0;
      const tool = toolOf('pay', () => (runs++, new Promise(() => {})));
      const app = { onInDoubt: 'ask-person' as const };
      await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] }), app));
      const second = runnerOf(rootOf(new ScriptedLlm(says('Well.')), { tools: [tool] }), app);
      await Array.fromAsync(second.recover());
      const [interrupt] = await second.pendingInterrupts(ref);
      const answers = { [interrupt!.id]: isApproved };
      const run = second.resume({ ...ref, answers, runConfig: { reader: 'detached' } });
      await settle();
      await second.close();
      await run.done;
      const third = runnerOf(rootOf(new ScriptedLlm(says('Well.')), { tools: [tool] }), app);
      await Array.fromAsync(third.recover());
      expect(runs).toBe(isApproved ? 2 : 1);
      expect(await third.pendingInterrupts(ref)).toEqual([]);
      expect(answersIn(await events()).at(-1)).toEqual(['pay', { error: expect.stringContaining('outcome unknown') }]);
      expect(textsIn(await events()).at(-1)).toBe('root: Well.');
    }
  });

  it('is answered with an error if the agent no longer has its tool', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool } = createStuckTool();
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] })));
    const after = runnerOf(rootOf(new ScriptedLlm(says('Sorry.'))));
    expect(await after.resume(ref).result).toMatchObject({ status: 'completed' });
    expect(answersIn(await events())).toEqual([['pay', { error: expect.stringContaining('There is no tool pay') }]]);
  });

  it('is requested again, and not in doubt, if a policy requires a confirmation', async () => {
    const { runnerOf, events } = await createDurableStore();
    let runs = 0;
    const pay = toolOf('pay', () => ({ runs: ++runs }));
    const look = (run: () => unknown): Tool => toolOf('look', run, { idempotent: true });
    const tools = [pay, look(() => new Promise(() => {}))];
    const plugins = [new ToolPolicyPlugin({ rules: [{ tool: 'pay', decision: 'ask' }] })];
    const model = new ScriptedLlm(callsAll(['pay', {}, 'c1'], ['look', {}, 'c2']));
    // The other call of the turn never ends, so the request is not stored.
    await runAndClose(runnerOf(rootOf(model, { tools }), { plugins }));
    expect(answersIn(await events()).map(([name]) => name)).toEqual(['pay']);
    const agent = rootOf(new ScriptedLlm(says('Paid.')), { tools: [pay, look(() => 'seen')] });
    const after = runnerOf(agent, { plugins });
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'paused' }]);
    const [interrupt] = await after.pendingInterrupts(ref);
    const { status } = await after.resume({ ...ref, answers: { [interrupt!.id]: true } }).result;
    expect([status, answersIn(await events()).at(-1)]).toEqual(['completed', ['pay', { runs: 1 }]]);
  });

  it('runs again with the edited arguments of a person, after ask-person', async () => {
    const { runnerOf, events } = await createDurableStore();
    const ran: JsonObject[] = [];
    const gate: Promise<unknown>[] = [new Promise(() => {}), Promise.resolve('paid')];
    const pay = toolOf('pay', (args) => (ran.push(args), gate.shift()), {
      requireConfirmation: true,
      allowEditedArguments: true,
    });
    const answer = { confirmed: true, editedArguments: { sum: 4 } };
    const { after, interrupt } = await crashInApprovedCall(runnerOf, { pay, args: { sum: 5 }, answer });
    expect(interrupt).toMatchObject({ args: { sum: 5 }, payload: { arguments: { sum: 4 } } });
    await outcomeOf(after.resume({ ...ref, answers: { [interrupt.id]: true } }));
    expect(ran).toEqual([{ sum: 4 }, { sum: 4 }]);
    expect(answersIn(await events()).at(-1)).toEqual(['pay', { editedArguments: { sum: 4 }, result: 'paid' }]);
  });

  it('keeps the answer to the request of the tool, after ask-person', async () => {
    const { runnerOf } = await createDurableStore();
    const seen: unknown[] = [];
    const pay = toolOf('pay', (_args, context) => {
      if (!context.toolConfirmation) return context.requestConfirmation({ hint: 'Which account?' });
      seen.push(context.toolConfirmation.payload);
      return seen.length === 1 ? new Promise(() => {}) : 'paid';
    });
    const answer = { confirmed: true, payload: 'mine' };
    const { after, interrupt } = await crashInApprovedCall(runnerOf, { pay, args: {}, answer });
    await outcomeOf(after.resume({ ...ref, answers: { [interrupt.id]: true } }));
    expect(seen).toEqual(['mine', 'mine']);
  });

  it('runs if starts are journaled and it had not started', async () => {
    const { runnerOf, events } = await createDurableStore();
    const app = { journalToolStarts: true };
    let runs = 0;
    const tool = toolOf('pay', () => ({ runs: ++runs }));
    // The callback never returns, so the tool never starts.
    const beforeToolCallback = (): Promise<undefined> => new Promise(() => {});
    const model = new ScriptedLlm(calls('pay', {}, 'c1'));
    await runAndClose(runnerOf(rootOf(model, { tools: [tool], beforeToolCallback }), app));
    await Array.fromAsync(runnerOf(rootOf(new ScriptedLlm(says('Paid.')), { tools: [tool] }), app).recover());
    expect(answersIn(await events())).toEqual([['pay', { runs: 1 }]]);
  });
});

describe('A new message', () => {
  it('replaces an unfinished invocation, and stores its closing record (contract 28)', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool } = createStuckTool();
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] })));
    const after = runnerOf(rootOf(new ScriptedLlm(says('Fine.')), { tools: [tool] }));
    await after.runToCompletion({ ...hello, newMessage: 'Never mind.' });
    expect(textsIn(await events()).slice(2)).toEqual(['system: RUN_SUPERSEDED', 'user: Never mind.', 'root: Fine.']);
    expect(await Array.fromAsync(after.recover())).toEqual([]);
    const [first] = await events();
    const { error } = await outcomeOf(after.resume({ ...ref, invocationId: first!.invocationId }));
    expect(error?.code).toBe('INVOCATION_ENDED');
  });

  it('closes open interrupts with onNewMessage: cancel', async () => {
    const { runnerOf } = await createDurableStore();
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Fine.'));
    const runner = runnerOf(rootOf(model, { tools: [pay] }), { onNewMessage: 'cancel' });
    const { interrupts } = await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, newMessage: 'Never mind.' });
    expect(await runner.pendingInterrupts(ref)).toEqual([]);
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(error?.code).toBe('INVOCATION_ENDED');
  });
});

describe('Runner.cancel', () => {
  it('ends a paused invocation and closes its interrupts', async () => {
    const { runnerOf, events } = await createDurableStore();
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const runner = runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [pay] }));
    const { interrupts, invocationId } = await runner.runToCompletion(hello);
    expect(await runner.cancel({ ...ref, invocationId })).toBe(true);
    expect((await events()).at(-1)).toMatchObject({ errorCode: 'RUN_ABORTED', invocationId });
    expect(await runner.cancel({ ...ref, invocationId })).toBe(false);
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(error?.code).toBe('INVOCATION_ENDED');
  });
});

describe('Runner.cancel of the invocation of a dead process', () => {
  it('ends the invocation, so that it is not recovered', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool } = createStuckTool({ idempotent: true });
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] })));
    const [{ invocationId }] = (await events()) as [Event];
    const after = runnerOf(rootOf(new ScriptedLlm(), { tools: [tool] }));
    expect(await after.cancel({ ...ref, invocationId })).toBe(true);
    expect(await Array.fromAsync(after.recover())).toEqual([]);
    expect((await outcomeOf(after.resume({ ...ref, invocationId }))).error?.code).toBe('INVOCATION_ENDED');
  });

  it('ends the invocation while its lease is still valid (contract 13)', async () => {
    const store = await createDurableStore();
    const { tool } = createStuckTool({ idempotent: true });
    await runAndClose(store.runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] })));
    const [{ invocationId }] = (await store.events()) as [Event];
    await leaseToDeadProcess(store, invocationId);
    const after = store.runnerOf(rootOf(new ScriptedLlm(), { tools: [tool] }));
    expect(await after.cancel(ref)).toBe(false);
    expect(await after.cancel({ ...ref, invocationId })).toBe(true);
    expect((await store.events()).at(-1)).toMatchObject({ errorCode: 'RUN_ABORTED', invocationId });
    expect(await Array.fromAsync(after.recover())).toEqual([]);
  });

  it('returns false and stores nothing if the invocation ends while it waits for the session', async () => {
    const { runnerOf, events } = await createDurableStore();
    const gate = Promise.withResolvers<void>();
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const model = new ScriptedLlm(
      calls('pay', {}, 'c1'),
      async () => {
        await gate.promise;
        return says('Hello.');
      },
      says('Paid.'),
    );
    const runner = runnerOf(rootOf(model, { tools: [pay] }));
    const { interrupts, invocationId } = await runner.runToCompletion(hello);
    const other = runner.runToCompletion(hello);
    await settle();
    const answer = runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true }, runConfig: { reader: 'detached' } });
    await settle();
    const cancelled = runner.cancel({ ...ref, invocationId });
    await settle();
    // The answer waits for the run of the other invocation.
    expect(textsIn(await events()).at(-1)).toBe('user: hello');
    gate.resolve();
    expect((await other).text).toBe('Hello.');
    expect(await answer.result).toMatchObject({ status: 'completed', invocationId });
    expect(await cancelled).toBe(false);
    expect(textsIn(await events()).at(-1)).toBe('root: Paid.');
  });
});

describe('An answer to a call that is not an interrupt', () => {
  const newMessage: Content = {
    role: 'user',
    parts: [{ functionResponse: { id: 'c1', name: 'pay', response: { paid: false } } }],
  };

  it('is INTERRUPT_NOT_FOUND after a crash, and recover() continues the call (contract 28)', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool, runs } = createStuckTool({ idempotent: true });
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.'));
    await runAndClose(runnerOf(rootOf(model, { tools: [tool] })));
    const before = await events();
    const after = runnerOf(rootOf(model, { tools: [tool] }));
    const message = expect.stringContaining('Call "c1" of pay');
    for (const run of [
      after.runAsync({ ...ref, newMessage }),
      after.resume({ ...ref, answers: { c1: { paid: false } } }),
      after.resume({ ...ref, invocationId: before[0]!.invocationId, answers: { c1: { paid: false } } }),
    ])
      expect((await outcomeOf(run)).error).toMatchObject({ code: 'INTERRUPT_NOT_FOUND', message });
    expect(await events()).toEqual(before);
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'completed' }]);
    expect(answersIn(await events())).toEqual([['pay', { paid: true }]]);
    expect(runs()).toBe(2);
  });

  it('cannot replace a tool that waits for a confirmation (contract 28)', async () => {
    const { runnerOf, events } = await createDurableStore();
    const tool = toolOf('pay', () => ({ paid: true }), { requireConfirmation: true });
    const runner = runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const before = await events();
    const { error } = await outcomeOf(runner.runAsync({ ...ref, newMessage }));
    expect(error).toMatchObject({
      code: 'INTERRUPT_NOT_FOUND',
      message: expect.stringContaining(`Answer "${interrupts[0]!.id}"`),
    });
    expect(await events()).toEqual(before);
  });
});

describe('A custom agent of a resumed run', () => {
  const asking = (log: string[]): Agent =>
    agentOf('root', async function* (context) {
      log.push(await context.step('pick', () => `picked ${log.length}`));
      yield sayingEvent(context, 'Before.');
      const answer = await context.requestInput({ message: 'Which?', responseSchema: { type: 'string' } });
      yield sayingEvent(context, `After ${answer as string}.`);
    });

  it('runs again from its first line, without its steps and its earlier events', async () => {
    const { runnerOf, events } = await createDurableStore();
    const log: string[] = [];
    const runner = runnerOf(asking(log));
    const { interrupts, status } = await runner.runToCompletion(hello);
    expect(status).toBe('paused');
    const wrong = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 7 } }));
    expect(wrong.error?.code).toBe('ANSWER_INVALID');
    const { events: shown } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'blue' } }));
    expect(textsIn(shown)).toEqual(['root: After blue.']);
    expect(log).toEqual(['picked 0', 'picked 0']);
    expect(textsIn(await events()).filter((text) => text === 'root: Before.')).toHaveLength(1);
  });

  it.each([{ type: 'string' }, undefined])(
    'throws INPUT_DECLINED for an answer {error}, with schema %j',
    async (responseSchema) => {
      const { runnerOf } = await createDurableStore();
      const agent = agentOf('root', async function* (context) {
        const request = { message: 'Which?', responseSchema };
        const answer = await context.requestInput(request).catch((error: unknown) => {
          if (!TholeError.is(error, 'INPUT_DECLINED')) throw error;
          return error.message;
        });
        yield sayingEvent(context, answer as string);
      });
      const runner = runnerOf(agent);
      const { interrupts } = await runner.runToCompletion(hello);
      const functionResponse = { id: interrupts[0]!.id, name: 'adk_request_input', response: { error: 'No time.' } };
      const message = { role: 'user' as const, parts: [{ functionResponse }] };
      const { events: shown } = await outcomeOf(runner.runAsync({ ...ref, newMessage: message }));
      expect(textsIn(shown)).toEqual(['root: The request was declined: Which? No time.']);
    },
  );

  it('does not log a request of a tool that the person declined as a failure', async () => {
    const { runnerOf, runtime } = await createDurableStore();
    const tool = toolOf('ask', async (_, context) => context.requestInput({ message: 'Which?' }));
    const runner = runnerOf(rootOf(new ScriptedLlm(calls('ask', {}, 'c1'), says('Then not.')), { tools: [tool] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const functionResponse = { id: interrupts[0]!.id, name: 'adk_request_input', response: { error: 'No time.' } };
    const message = { role: 'user' as const, parts: [{ functionResponse }] };
    const { events: shown } = await outcomeOf(runner.runAsync({ ...ref, newMessage: message }));
    expect(textsIn(shown).at(-1)).toBe('root: Then not.');
    expect(runtime.logs).toEqual([]);
  });

  it('returns a value {error} that the caller passes as the answer', async () => {
    const { runnerOf } = await createDurableStore();
    const agent = agentOf('root', async function* (context) {
      yield sayingEvent(context, JSON.stringify(await context.requestInput({ message: 'Which?' })));
    });
    const runner = runnerOf(agent);
    const { interrupts } = await runner.runToCompletion(hello);
    const answers = { [interrupts[0]!.id]: { error: 'E1' } };
    const { events: shown } = await outcomeOf(runner.resume({ ...ref, answers }));
    expect(textsIn(shown)).toEqual(['root: {"error":"E1"}']);
  });

  it('ends with RESUME_DIVERGED and stores nothing if it yields another event than before', async () => {
    const { runnerOf, events } = await createDurableStore();
    let attempt = 0;
    const agent = agentOf('root', async function* (context) {
      if (attempt++ === 0) yield sayingEvent(context, 'Before.');
      else yield createEvent({ author: 'root', invocationId: context.invocationId }, context.runtime);
      await context.requestInput({ message: 'Which?' });
    });
    const runner = runnerOf(agent);
    const { interrupts } = await runner.runToCompletion(hello);
    const before = (await events()).length;
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'x' } }));
    expect(error?.code).toBe('RESUME_DIVERGED');
    // Only the answer of the person.
    expect(await events()).toHaveLength(before + 1);
  });

  it('stores no event twice if a plugin drops an event before it', async () => {
    const { runnerOf, events } = await createDurableStore();
    const agent = agentOf('root', async function* (context) {
      for (const text of ['Secret.', 'One.', 'Secret.', 'Two.', 'Secret.']) yield sayingEvent(context, text);
      await context.requestInput({ message: 'Which?' });
      yield sayingEvent(context, 'Secret.');
      await context.commit(sayingEvent(context, 'Three.'));
      await context.requestInput({ message: 'And now?' });
      yield sayingEvent(context, 'Four.');
    });
    const plugin = {
      name: 'censor',
      onEventCallback: async ({ event }: { event: Event }) => (textOf(event.content) === 'Secret.' ? null : undefined),
    };
    const runner = runnerOf(agent, { plugins: [plugin] });
    let { interrupts } = await runner.resume({
      ...ref,
      invocationId: (await runner.runToCompletion(hello)).invocationId,
    }).result;
    while (interrupts.length > 0)
      ({ interrupts } = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'x' } }).result);
    const texts = (await events()).map(({ content }) => textOf(content)).filter((text) => text !== '');
    expect(texts).toEqual(['hello', 'One.', 'Two.', 'Three.', 'Four.']);
  });

  it('stores no event twice if the agent that runs it does not pass on all its events', async () => {
    const { runnerOf, events } = await createDurableStore();
    const inner = agentOf('inner', async function* (context) {
      for (const text of ['Note.', 'One.', 'Note.', 'Two.']) yield sayingEvent(context, text);
      await context.requestInput({ message: 'Which?' });
      for (const text of ['Note.', 'Three.']) yield sayingEvent(context, text);
    });
    const outer = agentOf('outer', async function* (context) {
      for await (const event of context.runAgent(inner)) if (textOf(event.content) !== 'Note.') yield event;
    });
    const runner = runnerOf(outer);
    const { interrupts } = await runner.runToCompletion(hello);
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'x' } }).done;
    const texts = (await events()).map(({ content }) => textOf(content)).filter((text) => text !== '');
    expect(texts).toEqual(['hello', 'One.', 'Two.', 'Three.']);
  });

  it('continues if hooks have stored changes in a separate event at the end of a run', async () => {
    const { runnerOf, events, sessions } = await createDurableStore();
    const asking = (name: string): Agent =>
      agentOf(name, async function* (context) {
        yield sayingEvent(context, `${name} 1.`);
        await context.requestInput({ message: 'Which?' }).finally(() => context.state.set(name, true));
        yield sayingEvent(context, `${name} 2.`);
      });
    const afterRunCallback: Plugin['afterRunCallback'] = async ({ invocationContext: { state } }) => {
      state.set('runs', Number(state.get('runs') ?? 0) + 1);
    };
    const parallel = new ParallelAgent({ name: 'both', subAgents: [asking('left'), asking('right')] });
    const agent = agentOf('root', async function* (context) {
      yield sayingEvent(context, 'root 1.');
      yield* context.runAgent(parallel);
      yield sayingEvent(context, 'root 2.');
    });
    const runner = runnerOf(agent, { plugins: [{ name: 'counter', afterRunCallback }] });
    let { interrupts } = await runner.resume({
      ...ref,
      invocationId: (await runner.runToCompletion(hello)).invocationId,
    }).result;
    while (interrupts.length > 0)
      ({ interrupts } = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'x' } }).result);
    const texts = (await events()).map(({ content }) => textOf(content)).filter((text) => text.endsWith('.'));
    expect(texts).toEqual(['root 1.', 'left 1.', 'right 1.', 'left 2.', 'right 2.', 'root 2.']);
    expect((await sessions.getSession(ref))!.state).toEqual({ left: true, right: true, runs: 4 });
  });

  it('does not show an event again that it has stored with context.commit', async () => {
    const { runnerOf, events } = await createDurableStore();
    const agent = agentOf('root', async function* (context) {
      yield await context.commit(sayingEvent(context, 'One.'));
      await context.requestInput({ message: 'Which?' });
      yield await context.commit(sayingEvent(context, 'Two.'));
    });
    const runner = runnerOf(agent);
    const { interrupts } = await runner.runToCompletion(hello);
    const { events: shown } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'x' } }));
    expect(textsIn(shown)).toEqual(['root: Two.']);
    expect(textsIn(await events()).filter((text) => text.endsWith('.'))).toEqual(['root: One.', 'root: Two.']);
  });

  it('does not show an event again after which its process died', async () => {
    const { runnerOf, events } = await createDurableStore();
    const createAgent = (wait: () => Promise<unknown>): Agent =>
      agentOf('root', async function* (context) {
        const committed = await context.commit(sayingEvent(context, 'One.'));
        await wait();
        yield committed;
        yield sayingEvent(context, 'Two.');
      });
    await runAndClose(runnerOf(createAgent(() => new Promise(() => {}))));
    const { invocationId, seq } = (await events()).at(-1)!;
    expect(seq).toBe(2);
    const after = runnerOf(createAgent(async () => {}));
    const { events: shown } = await outcomeOf(after.resume({ ...ref, invocationId }));
    expect(textsIn(shown)).toEqual(['root: Two.']);
    expect(textsIn(await events()).filter((text) => text.endsWith('.'))).toEqual(['root: One.', 'root: Two.']);
  });

  it('continues with its stored events if the agent that runs it passes them on late', async () => {
    const { runnerOf, events } = await createDurableStore();
    const inner = agentOf('inner', async function* (context) {
      for (const text of ['One.', 'Two.']) yield sayingEvent(context, text);
      await context.requestInput({ message: 'Which?' });
      yield sayingEvent(context, 'Three.');
    });
    const outer = agentOf('outer', async function* (context) {
      const held: Event[] = [];
      for await (const event of context.runAgent(inner)) {
        held.push(event);
        if (held.length === 2 || textOf(event.content) === 'Three.') yield* held.splice(0);
      }
    });
    const runner = runnerOf(outer);
    const { interrupts } = await runner.runToCompletion(hello);
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'x' } }).done;
    const texts = (await events()).map(({ content }) => textOf(content)).filter((text) => text !== '');
    expect(texts).toEqual(['hello', 'One.', 'Two.', 'Three.']);
  });

  it('does not run agents of context.runChild again', async () => {
    const { runnerOf, events } = await createDurableStore();
    const paid: string[] = [];
    const clerk = (name: string): LlmAgent => {
      const pay = toolOf('pay', () => paid.push(name));
      return new LlmAgent({
        name,
        model: new ScriptedLlm(calls('pay', {}, `${name}-1`), says(`${name}.`)),
        tools: [pay],
      });
    };
    const [one, two] = [clerk('one'), clerk('two')];
    const agent = agentOf('root', async function* (context) {
      const childTexts: string[] = [];
      for await (const event of context.runChild({ agent: one, message: 'Pay.' })) childTexts.push(...textsIn([event]));
      await context.requestInput({ message: 'Go on?' });
      for await (const event of context.runChild({ agent: two, message: 'Pay.' })) childTexts.push(...textsIn([event]));
      await context.requestInput({ message: 'And now?' });
      yield sayingEvent(context, childTexts.filter((text) => !text.includes('function')).join(' '));
    });
    let { interrupts } = await runnerOf(agent).runToCompletion(hello);
    for (let i = 0; i < 2; i++) {
      const runner = runnerOf(agent);
      ({ interrupts } = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'yes' } }).result);
    }
    expect(textsIn(await events()).at(-1)).toBe('root: one: one. two: two.');
    expect(paid).toEqual(['one', 'two']);
  });

  it('does not receive the answer to a request of another agent', async () => {
    const { runnerOf, events } = await createDurableStore();
    const ask = (name: string): Agent =>
      agentOf(name, async function* (context) {
        yield sayingEvent(context, `${name}: ${(await context.requestInput({ message: `${name}?` })) as string}`);
      });
    const runner = runnerOf(new SequentialAgent({ name: 'root', subAgents: [ask('one'), ask('two')] }));
    let { interrupts } = await runner.runToCompletion(hello);
    for (const answer of ['red', 'blue']) {
      expect(interrupts).toHaveLength(1);
      ({ interrupts } = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: answer } }).result);
    }
    const texts = textsIn(await events()).filter((text) => text.includes(': one: ') || text.includes(': two: '));
    expect(texts).toEqual(['one: one: red', 'two: two: blue']);
  });

  it('does not run the next agent while an agent waits', async () => {
    const { runnerOf } = await createDurableStore();
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const first = new LlmAgent({
      name: 'first',
      model: new ScriptedLlm(calls('pay', {}, 'c1'), says('1')),
      tools: [pay],
    });
    const second = new LlmAgent({ name: 'second', model: new ScriptedLlm(says('2')) });
    const agent = agentOf('root', async function* (context) {
      yield* context.runAgent(first);
      yield* context.runAgent(second);
    });
    const runner = runnerOf(agent);
    const { interrupts, events } = await runner.runToCompletion(hello);
    expect(textsIn(events).some((text) => text.startsWith('second'))).toBe(false);
    const { events: shown } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(textsIn(shown).slice(-2)).toEqual(['first: 1', 'second: 2']);
  });
});

describe('A resumed LlmAgent', () => {
  it('runs the calls of its later answers as in a first run', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool } = createStuckTool({ idempotent: true });
    const mail = toolOf('mail', () => 'sent');
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool, mail] })));
    const model = new ScriptedLlm(calls('mail', {}, 'c2'), says('Done.'));
    await Array.fromAsync(runnerOf(rootOf(model, { tools: [tool, mail] })).recover());
    expect(answersIn(await events())).toEqual([
      ['pay', { paid: true }],
      ['mail', { result: 'sent' }],
    ]);
  });

  it('does not run a tool again that had started after its approval', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool, runs } = createStuckTool({ requireConfirmation: true });
    const first = runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] }));
    const { interrupts } = await first.runToCompletion(hello);
    const resumed = outcomeOf(first.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    await settle();
    await first.close();
    await resumed;
    await Array.fromAsync(runnerOf(rootOf(new ScriptedLlm(says('Well.')), { tools: [tool] })).recover());
    expect(runs()).toBe(1);
    expect(answersIn(await events()).at(-1)).toEqual(['pay', { error: expect.stringContaining('outcome unknown') }]);
  });

  it('requests a confirmation after a crash without a second provisional answer', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool } = createStuckTool();
    const book = toolOf('book', () => 'booked', { requireConfirmation: true });
    const model = new ScriptedLlm(callsAll(['book', {}, 'c1'], ['pay', {}, 'c2']));
    await runAndClose(runnerOf(rootOf(model, { tools: [book, tool] })));
    const after = runnerOf(rootOf(new ScriptedLlm(says('Booked.')), { tools: [book, tool] }));
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'paused' }]);
    expect(answersIn(await events()).map(([name]) => name)).toEqual(['book', 'pay']);
    const [interrupt] = await after.pendingInterrupts(ref);
    await outcomeOf(after.resume({ ...ref, answers: { [interrupt!.id]: true } }));
    expect(answersIn(await events()).at(-1)).toEqual(['book', { result: 'booked' }]);
    expect(textsIn(await events()).at(-1)).toBe('root: Booked.');
  });

  it('repeats a transfer that was not stored', async () => {
    const { runnerOf, events } = await createDurableStore();
    const other = new LlmAgent({ name: 'other', model: new ScriptedLlm(says('Here.')) });
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'other' }, 'c1'));
    const beforeToolCallback = (): Promise<undefined> => new Promise(() => {});
    await runAndClose(runnerOf(rootOf(model, { subAgents: [other], beforeToolCallback })));
    await Array.fromAsync(runnerOf(rootOf(new ScriptedLlm(), { subAgents: [other] })).recover());
    expect(textsIn(await events()).at(-1)).toBe('other: Here.');
  });

  it('does not call its model again for an answer of set_model_response', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool } = createStuckTool({ idempotent: true });
    const options = { tools: [tool], outputSchema: stringsSchema('city') };
    const model = new ScriptedLlm(callsAll(['set_model_response', { city: 'Rome' }, 'c1'], ['pay', {}, 'c2']));
    await runAndClose(runnerOf(rootOf(model, options)));
    await Array.fromAsync(runnerOf(rootOf(new ScriptedLlm(), options)).recover());
    expect(textsIn(await events()).at(-1)).toBe('root: {"city":"Rome"}');
  });
});

describe('A resumed SequentialAgent', () => {
  it('does not run ended agents again', async () => {
    const { runnerOf } = await createDurableStore();
    const { tool } = createStuckTool({ idempotent: true });
    const agents = (first: ScriptedLlm, second: ScriptedLlm): Agent =>
      new SequentialAgent({
        name: 'root',
        subAgents: [
          new LlmAgent({ name: 'first', model: first }),
          new LlmAgent({ name: 'second', model: second, tools: [tool] }),
        ],
      });
    await runAndClose(runnerOf(agents(new ScriptedLlm(says('1')), new ScriptedLlm(calls('pay', {}, 'c1')))));
    const after = runnerOf(agents(new ScriptedLlm(), new ScriptedLlm(says('2'))));
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'completed' }]);
  });
});

describe('An update of a long-running call', () => {
  it('leaves the call open, and calls the model only with onUpdate: ask-model', async () => {
    for (const onUpdate of ['store', 'ask-model'] as const) {
      const { runnerOf } = await createDurableStore();
      const tool = toolOf('order', () => ({ ticket: 1 }), { isLongRunning: true, acceptsUpdates: true, onUpdate });
      const model = new ScriptedLlm(calls('order', {}, 'c1'), says('On its way.'), says('Arrived.'));
      const runner = runnerOf(rootOf(model, { tools: [tool] }));
      await runner.runToCompletion(hello);
      const update = { id: 'c1', name: 'order', response: { progress: 0.5 }, willContinue: true };
      const message = { role: 'user' as const, parts: [{ functionResponse: update }] };
      const updated = await runner.runToCompletion({ ...hello, newMessage: message });
      expect(updated).toMatchObject({ status: 'paused', text: onUpdate === 'store' ? '' : 'On its way.' });
      expect(await runner.pendingInterrupts(ref)).toMatchObject([{ kind: 'longRunning', id: 'c1' }]);
    }
  });
});

describe('Limits of an invocation', () => {
  it('count over all its runs, with the limits of its first run', async () => {
    const { runnerOf } = await createDurableStore();
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const used = { usageMetadata: { totalTokenCount: 80 } };
    const model = new ScriptedLlm(
      { ...calls('pay', {}, 'c1'), ...used },
      { ...calls('pay', {}, 'c2'), ...used },
      says('Done.'),
    );
    const runner = runnerOf(rootOf(model, { tools: [pay] }));
    const runConfig = { limits: { tokens: 100 }, customMetadata: { from: 'test' } };
    const first = await runner.runToCompletion({ ...hello, runConfig });
    const second = await outcomeOf(runner.resume({ ...ref, answers: { [first.interrupts[0]!.id]: true } }));
    expect(second.error).toBeUndefined();
    expect(second.events.every(({ customMetadata }) => customMetadata?.['from'] === 'test')).toBe(true);
    const [interrupt] = await runner.pendingInterrupts(ref);
    const answers = { [interrupt!.id]: true };
    expect((await outcomeOf(runner.resume({ ...ref, answers }))).error?.code).toBe('TOKEN_LIMIT');
    const { invocationId } = first;
    const last = runner.resume({ ...ref, invocationId, runConfig: { limits: { tokens: 1_000 } } });
    expect((await outcomeOf(last)).error).toBeUndefined();
  });
});

describe('Tokens of child runs', () => {
  const answer = (text: ReturnType<typeof says>): ReturnType<typeof says> => ({
    ...text,
    usageMetadata: { totalTokenCount: 10 },
  });
  const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
  const clerk = (...answers: ReturnType<typeof says>[]): LlmAgent =>
    new LlmAgent({ name: 'clerk', description: 'Pays.', model: new ScriptedLlm(...answers.map(answer)), tools: [pay] });

  it.each([true, false])(
    'are counted once if an agent passes on their events: %s (contracts 19, 25)',
    async (passesOn) => {
      const { runnerOf } = await createDurableStore();
      const manager = (...agents: LlmAgent[]): Agent =>
        agentOf('manager', async function* (context) {
          for (const agent of agents)
            for await (const event of context.runChild({ agent, message: 'Work.' })) if (passesOn) yield event;
        });
      const scout = new LlmAgent({ name: 'scout', model: new ScriptedLlm(answer(says('Clear.'))) });
      const first = await runnerOf(manager(scout, clerk(calls('pay', {}, 'c1')))).runToCompletion(hello);
      expect(first.usage).toEqual({ totalTokenCount: 20 });
      const answers = { [first.interrupts[0]!.id]: true };
      const resumed = await runnerOf(manager(scout, clerk(says('Paid.')))).resume({ ...ref, answers }).result;
      expect(resumed).toMatchObject({ status: 'completed', usage: { totalTokenCount: 30 } });
    },
  );

  it('are counted while the child waits and another call is answered (contracts 19, 25)', async () => {
    const { runnerOf } = await createDurableStore();
    const both = callsAll(['clerk', { request: 'Pay.' }, 'c0'], ['pay', {}, 'c2']);
    const root = (child: LlmAgent): LlmAgent =>
      rootOf(new ScriptedLlm(answer(both)), { tools: [new AgentTool({ agent: child }), pay] });
    const { interrupts } = await runnerOf(root(clerk(calls('pay', {}, 'c1')))).runToCompletion(hello);
    const answers = { [interrupts.find(({ toolName }) => toolName === 'pay')!.id]: true };
    const resumed = await runnerOf(root(clerk())).resume({ ...ref, answers }).result;
    expect(resumed).toMatchObject({ status: 'paused', usage: { totalTokenCount: 20 } });
  });
});

describe('An answer to a paused invocation', () => {
  it('keeps the mark of another invocation, whose process died', async () => {
    const { runnerOf } = await createDurableStore();
    const { tool } = createStuckTool({ idempotent: true });
    const ask = toolOf('ask', () => 'asked', { requireConfirmation: true });
    const tools = [tool, ask];
    const first = runnerOf(rootOf(new ScriptedLlm(calls('ask', {}, 'c1'), calls('pay', {}, 'c2')), { tools }));
    const { interrupts } = await first.runToCompletion(hello);
    await runAndClose(first);
    const after = runnerOf(rootOf(new ScriptedLlm(says('Asked.'), says('Paid.')), { tools }));
    await after.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }).done;
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'completed' }]);
    expect(await Array.fromAsync(after.recover())).toEqual([]);
  });
});
