import { getFunctionCalls } from '@thole/core';
import type { Interrupt, Json, JsonObject, Tool } from '@thole/core';
import { calls, callsAll, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool, FunctionToolset } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import type { Run } from '../../src/runner/run.ts';
import { Runner } from '../../src/runner/runner.ts';
import { answersIn, createSetup, hello, outcomeOf, ref, rootOf, settle, toolOf } from '../support/llm-setup.ts';

/** Returns a tool with a schema, whose arguments a person may edit. */
function editableTool(paid: JsonObject[]): FunctionTool<never> {
  return new FunctionTool({
    name: 'pay',
    description: 'Pays.',
    parameters: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    execute: (args: never) => (paid.push(args as JsonObject), { paid: true }),
    requireConfirmation: true,
    allowEditedArguments: true,
  } as never);
}

describe('editedArguments', () => {
  it('are rejected with ANSWER_INVALID if they do not match the schema (contract 28)', async () => {
    const paid: JsonObject[] = [];
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Paid.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [editableTool(paid)] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const before = await stored();
    for (const editedArguments of [{ sum: 'four' }, 7]) {
      const answers = { [interrupts[0]!.id]: { confirmed: true, editedArguments } };
      expect((await outcomeOf(runner.resume({ ...ref, answers }))).error?.code).toBe('ANSWER_INVALID');
    }
    expect(await stored()).toEqual(before);
    expect(await runner.pendingInterrupts(ref)).toEqual(interrupts);
  });

  it('are named in the answer to the model, also if the tool fails', async () => {
    for (const execute of [() => 'paid', () => Promise.reject(new Error('No money.'))]) {
      const pay = toolOf('pay', execute, { requireConfirmation: true, allowEditedArguments: true });
      const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Done.'));
      const { runner, stored } = await createSetup(rootOf(model, { tools: [pay] }));
      const { interrupts } = await runner.runToCompletion(hello);
      const answers = { [interrupts[0]!.id]: { confirmed: true, editedArguments: { sum: 4 } } };
      await runner.resume({ ...ref, answers }).done;
      const [, response] = answersIn((await stored()).events).findLast(([name]) => name === 'pay')!;
      expect(response['editedArguments']).toEqual({ sum: 4 });
      expect(JSON.stringify(model.requests[1]!.contents)).toContain('{"sum":4}');
    }
  });

  it('are accepted by a tool of a toolset that allows them, and validated by its schema', async () => {
    const paid: JsonObject[] = [];
    const model = new ScriptedLlm(calls('shop_pay', { sum: 5 }, 'c1'), says('Paid.'));
    const toolset = new FunctionToolset({ tools: [editableTool(paid)], prefix: 'shop' });
    const { runner } = await createSetup(rootOf(model, { tools: [toolset] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const answer = (sum: Json): Run =>
      runner.resume({ ...ref, answers: { [interrupts[0]!.id]: { confirmed: true, editedArguments: { sum } } } });
    expect((await outcomeOf(answer('four'))).error?.code).toBe('ANSWER_INVALID');
    expect(await answer(4).result).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([{ sum: 4 }]);
  });

  it('throw TOOL_FAILED and store nothing if the toolset fails', async () => {
    let isBroken = false;
    const getTools = async (): Promise<Tool[]> => {
      if (isBroken) throw new Error('No connection.');
      return [editableTool([])];
    };
    const toolset = { getTools, close: async () => {} };
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [toolset] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const before = await stored();
    isBroken = true;
    const answers = { [interrupts[0]!.id]: { confirmed: true, editedArguments: { sum: 4 } } };
    expect((await outcomeOf(runner.resume({ ...ref, answers }))).error?.code).toBe('TOOL_FAILED');
    expect(await stored()).toEqual(before);
  });

  it('throw INVALID_INPUT and store nothing if the toolset no longer returns tools', async () => {
    let tools: Tool[] | undefined = [editableTool([])];
    const toolset = { getTools: async () => tools as Tool[], close: async () => {} };
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [toolset] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const before = await stored();
    tools = undefined;
    const answers = { [interrupts[0]!.id]: { confirmed: true, editedArguments: { sum: 4 } } };
    expect((await outcomeOf(runner.resume({ ...ref, answers }))).error).toMatchObject({
      code: 'INVALID_INPUT',
      message: 'Agent root: the result of getTools of tools[0] must be an array of tools, got undefined.',
    });
    expect(await stored()).toEqual(before);
  });

  it('are accepted in both spellings, and stored in one', async () => {
    const paid: JsonObject[] = [];
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Paid.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [editableTool(paid)] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const [{ id }] = interrupts as [Interrupt];
    await runner.resume({ ...ref, answers: { [id]: { confirmed: true, edited_arguments: { sum: 4 } } } }).done;
    expect(paid).toEqual([{ sum: 4 }]);
    const answer = { confirmed: true, editedArguments: { sum: 4 } };
    expect(answersIn((await stored()).events)).toContainEqual(['adk_request_confirmation', answer]);
  });

  it('are kept when a callback changes them and a person approves the changed arguments', async () => {
    const paid: JsonObject[] = [];
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Paid.'));
    const beforeToolCallback = ({ args }: { args: JsonObject }): undefined => void (args['audited'] = true);
    const { runner } = await createSetup(rootOf(model, { tools: [editableTool(paid)], beforeToolCallback }));
    const { interrupts } = await runner.runToCompletion(hello);
    const edit = { confirmed: true, editedArguments: { sum: 4 } };
    const second = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: edit } }).result;
    expect(second.interrupts).toMatchObject([{ payload: { arguments: { sum: 4, audited: true } } }]);
    const third = await runner.resume({ ...ref, answers: { [second.interrupts[0]!.id]: true } }).result;
    expect(third).toMatchObject({ status: 'completed', interrupts: [] });
    expect(paid).toEqual([{ sum: 4, audited: true }]);
  });

  it('do not change the stored call', async () => {
    const paid: JsonObject[] = [];
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Paid.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [editableTool(paid)] }));
    const { interrupts } = await runner.runToCompletion(hello);
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: { confirmed: true, editedArguments: { sum: 4 } } } })
      .done;
    expect(paid).toEqual([{ sum: 4 }]);
    const storedCall = (await stored()).events.flatMap(getFunctionCalls).find(({ id }) => id === 'c1');
    expect(storedCall?.args).toEqual({ sum: 5 });
  });
});

describe('Runner.resume with an approval', () => {
  it('runs the steps of the call in order: policy, callback, argument check, gate, tool', async () => {
    const log: string[] = [];
    const tool = toolOf('pay', () => (log.push('execute'), 'paid'), {
      checkArguments: async () => void log.push('check'),
      requireConfirmation: () => (log.push('gate'), true),
    });
    const plugins = [{ name: 'policy', beforeToolCallback: (): undefined => void log.push('policy') }];
    const beforeToolCallback = (): undefined => void log.push('callback');
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool], beforeToolCallback }), { plugins });
    const { interrupts } = await runner.runToCompletion(hello);
    expect(log.splice(0)).toEqual(['policy', 'callback', 'check', 'gate']);
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }).done;
    expect(log).toEqual(['policy', 'callback', 'execute']);
  });

  it('stores the start of the tool after its approval, and marks the event of the call', async () => {
    const tools = [toolOf('pay', () => 'paid', { requireConfirmation: true }), toolOf('look', () => 'seen')];
    const model = new ScriptedLlm(calls('look', {}, 'c0'), calls('pay', {}, 'c1'), says('Paid.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools }));
    const { interrupts } = await runner.runToCompletion(hello);
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }).done;
    const { events } = await stored();
    const marked = events.filter((event) => event.customMetadata?.['toolStarts'] === 'journaled');
    expect(marked.flatMap(getFunctionCalls).map(({ name }) => name)).toEqual(['pay']);
    const starts = events.flatMap((event) => event.customMetadata?.['toolStarted'] ?? []);
    expect(starts).toEqual([{ callId: 'c1', attempt: 1 }]);
  });
});

describe('Plugin.onInterruptCallback', () => {
  it('is called with the interrupt and the session after the request is stored', async () => {
    const seen: unknown[] = [];
    const plugin = {
      name: 'inbox',
      async onInterruptCallback({
        interrupt,
        ref: session,
      }: {
        interrupt: { id: string; kind: string };
        ref: unknown;
      }) {
        const { events } = await stored();
        const isStored = events.flatMap(getFunctionCalls).some(({ id }) => id === interrupt.id);
        seen.push([interrupt.kind, session, isStored]);
        throw new Error('Only logged.');
      },
    };
    const tool = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }), { plugins: [plugin as never] });
    expect((await runner.runToCompletion(hello)).status).toBe('paused');
    expect(seen).toEqual([['confirmation', ref, true]]);
  });

  it('is called again by recover() after a crash in the call', async () => {
    const tools = [toolOf('pay', () => 'paid', { requireConfirmation: true })];
    const hangingInbox = { name: 'inbox', onInterruptCallback: () => new Promise(() => {}) };
    const model = new ScriptedLlm(calls('pay', {}, 'c1'));
    const { runner, runtime, sessions } = await createSetup(rootOf(model, { tools }), {
      plugins: [hangingInbox as never],
    });
    void outcomeOf(runner.runAsync(hello));
    await settle();
    Object.defineProperty(sessions, 'isDurable', { value: true });
    const closed = runner.close({ timeoutMs: 0 });
    await runtime.advance(120_000);
    await closed;
    const seen: string[] = [];
    const inbox = {
      name: 'inbox',
      onInterruptCallback: ({ interrupt }: { interrupt: { toolName: string } }) => void seen.push(interrupt.toolName),
    };
    const options = { sessionService: sessions, runtime, plugins: [inbox as never] };
    const next = await createSetup(rootOf(new ScriptedLlm(), { tools }), options);
    expect(await Array.fromAsync(next.runner.recover())).toMatchObject([{ outcome: 'paused' }]);
    expect(seen).toEqual(['pay']);
    expect(await next.runner.pendingInterrupts(ref)).toMatchObject([{ toolName: 'pay' }]);
  });
});

describe('A turn with a confirmation and a transfer', () => {
  it('runs the approved call before it transfers, also in another process (contract 28)', async () => {
    const paid: JsonObject[] = [];
    const pay = toolOf('pay', (args) => (paid.push(args), 'paid'), { requireConfirmation: true });
    const turn = callsAll(['transfer_to_agent', { agentName: 'clerk' }], ['pay', { sum: 5 }]);
    const clerk = new ScriptedLlm(says('Hello.'));
    const app = (): LlmAgent =>
      rootOf(new ScriptedLlm(turn), { tools: [pay], subAgents: [new LlmAgent({ name: 'clerk', model: clerk })] });
    const { runner, sessions, runtime } = await createSetup(app());
    const { interrupts } = await runner.runToCompletion(hello);
    const next = new Runner({ appName: 'app', agent: app(), sessionService: sessions, runtime });
    const { events } = await outcomeOf(next.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(paid).toEqual([{ sum: 5 }]);
    expect(answersIn(events)).toEqual([['pay', { result: 'paid' }]]);
    expect(events.map(({ author }) => author).at(-1)).toBe('clerk');
    expect(clerk.requests).toHaveLength(1);
  });
});

describe('A long-running call with a confirmation', () => {
  const jobOf = (started: string[]): Tool =>
    toolOf('job', () => (started.push('job'), { ticket: 1 }), { isLongRunning: true, requireConfirmation: true });

  it('begins after its approval, before the transfer of its turn (contract 28)', async () => {
    const started: string[] = [];
    const turn = callsAll(['transfer_to_agent', { agentName: 'clerk' }], ['job', {}, 'c1']);
    const clerk = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(says('Hello.')) });
    const app = rootOf(new ScriptedLlm(turn), { tools: [jobOf(started)], subAgents: [clerk] });
    const { runner } = await createSetup(app);
    const { interrupts } = await runner.runToCompletion(hello);
    const approval = interrupts.find(({ kind }) => kind === 'confirmation')!;
    const { events } = await outcomeOf(runner.resume({ ...ref, answers: { [approval.id]: true } }));
    expect(started).toEqual(['job']);
    expect(events.map(({ author }) => author)).toEqual(['root', 'clerk']);
  });

  it('rejects a result with INTERRUPT_MISMATCH while its approval is open, and stores nothing', async () => {
    const started: string[] = [];
    const model = new ScriptedLlm(calls('job', {}, 'c1'), says('Done.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [jobOf(started)] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const approval = interrupts.find(({ kind }) => kind === 'confirmation')!;
    const before = await stored();
    const early = await outcomeOf(runner.resume({ ...ref, answers: { c1: { done: true } } }));
    expect(early.error).toMatchObject({ code: 'INTERRUPT_MISMATCH', details: { reason: 'call_waits' } });
    expect(early.error?.message).toContain(`Answer its confirmation request "${approval.id}" first.`);
    expect(await stored()).toEqual(before);
    await runner.resume({ ...ref, answers: { [approval.id]: true } }).done;
    expect((await runner.resume({ ...ref, answers: { c1: { done: true } } }).result).status).toBe('completed');
    expect(started).toEqual(['job']);
  });
});

describe('A turn with a confirmation and other calls', () => {
  it('stores the provisional answer at once, and the request after the last other answer', async () => {
    const gate = Promise.withResolvers<string>();
    const tools = [toolOf('pay', () => 'paid', { requireConfirmation: true }), toolOf('look', () => gate.promise)];
    const model = new ScriptedLlm(callsAll(['pay', {}, 'c1'], ['look', {}, 'c2']));
    const { runner, stored } = await createSetup(rootOf(model, { tools }));
    const run = runner.runToCompletion(hello);
    await settle();
    expect(answersIn((await stored()).events).map(([name]) => name)).toEqual(['pay']);
    expect(await runner.pendingInterrupts(ref)).toEqual([]);
    gate.resolve('seen');
    expect((await run).interrupts).toMatchObject([{ toolName: 'pay' }]);
    const names = (await stored()).events.flatMap(getFunctionCalls).map(({ name }) => name);
    expect(names.at(-1)).toBe('adk_request_confirmation');
  });

  it('calls the model again only when all its interrupts are answered (contract 28)', async () => {
    const tool = toolOf('pay', ({ sum }) => ({ sum }), { requireConfirmation: true });
    const model = new ScriptedLlm(callsAll(['pay', { sum: 1 }, 'c1'], ['pay', { sum: 2 }, 'c2']), says('Both.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const first = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }).result;
    expect(first).toMatchObject({ status: 'paused', interrupts: [{ id: interrupts[1]!.id }] });
    expect(model.requests).toHaveLength(1);
    const last = runner.resume({ ...ref, answers: { [interrupts[1]!.id]: false } });
    expect((await last.result).status).toBe('completed');
    expect(model.requests).toHaveLength(2);
  });
});
