import type { Interrupt, Json, JsonObject, LlmResponse } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import type { Runner } from '../../src/runner/runner.ts';
import { createDurableStore } from '../support/durable-store.ts';
import { agentOf, says as sayingEvent } from '../support/setup.ts';
import {
  answersIn,
  createSetup,
  hello,
  outcomeOf,
  ref,
  rootOf,
  settle,
  textsIn,
  toolOf,
} from '../support/llm-setup.ts';

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

  it.each([1, 2])(
    'continues its agent after each of three answers, %i agents deep (contracts 25, 28)',
    async (depth) => {
      const { events, runnerOf } = await createDurableStore();
      const ask = toolOf('ask', async (_args, context) => {
        const answers = [];
        for (const message of ['One?', 'Two?', 'Three?']) answers.push(await context.requestInput({ message }));
        return { answers };
      });
      const runnerWith = (...models: ScriptedLlm[]): Runner => {
        let tool = ask;
        for (let i = 0; i < depth; i++) {
          const agent = new LlmAgent({ name: `clerk${i}`, description: 'Asks.', model: models[i]!, tools: [tool] });
          tool = new AgentTool({ agent });
        }
        return runnerOf(rootOf(models.at(-1)!, { tools: [tool] }));
      };
      const asking = Array.from({ length: depth }, (_, i) => calls(i ? `clerk${i - 1}` : 'ask', { request: 'Ask.' }));
      const first = runnerWith(
        ...asking.map((answer) => new ScriptedLlm(answer)),
        new ScriptedLlm(calls(`clerk${depth - 1}`, { request: 'Ask.' })),
      );
      let { interrupts } = await first.runToCompletion(hello);
      for (const message of ['One?', 'Two?', 'Three?']) {
        expect(interrupts).toMatchObject([{ kind: 'input', message }]);
        const runner = runnerWith(...Array.from({ length: depth + 1 }, () => new ScriptedLlm(says('Done.'))));
        const run = runner.resume({ ...ref, answers: { [interrupts[0]!.id]: message.length } });
        ({ interrupts } = await run.result);
      }
      expect(interrupts).toEqual([]);
      expect(answersIn(await events()).at(-1)).toEqual([`clerk${depth - 1}`, { result: 'Done.' }]);
      const logs = (await events()).flatMap(({ customMetadata }) => JSON.stringify(customMetadata?.['child'] ?? ''));
      expect(logs.join('')).not.toContain('has an answer already');
    },
  );

  it('shows the call that its agent wants to make in the payload of a confirmation', async () => {
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const agent = new LlmAgent({
      name: 'clerk',
      description: 'Pays.',
      model: new ScriptedLlm(calls('pay', { sum: 5 })),
      tools: [pay],
    });
    const model = new ScriptedLlm(calls('clerk', { request: 'Pay.' }));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }));
    const { interrupts } = await runner.runToCompletion(hello);
    expect(interrupts).toMatchObject([{ toolName: 'clerk', payload: { toolName: 'pay', args: { sum: 5 } } }]);
  });

  it.each([1, 2])('runs a call of its agent with edited arguments, %i levels deep', async (levels) => {
    const paid: JsonObject[] = [];
    const checkArguments = async ({ sum }: JsonObject): Promise<void> => {
      if (typeof sum !== 'number') throw new Error('sum must be a number.');
    };
    const pay = toolOf('pay', (args) => paid.push(args), {
      requireConfirmation: true,
      allowEditedArguments: true,
      checkArguments,
    });
    const inner = new ScriptedLlm(calls('pay', { sum: 5 }), calls('pay', { sum: 6 }), says('Paid.'));
    const clerk = new LlmAgent({ name: 'clerk', model: inner, tools: [pay] });
    const manager = new LlmAgent({
      name: 'manager',
      model: new ScriptedLlm(calls('clerk', { request: 'Pay.' }), says('Paid.')),
      tools: [new AgentTool({ agent: clerk })],
    });
    const agent = levels === 1 ? clerk : manager;
    const model = new ScriptedLlm(calls(agent.name, { request: 'Pay.' }), says('Done.'));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }));
    const first = await runner.runToCompletion(hello);
    const edit = (id: string, sum: Json): ReturnType<typeof runner.resume> =>
      runner.resume({ ...ref, answers: { [id]: { confirmed: true, editedArguments: { sum } } } });
    // The tool is not called with invalid arguments. The model reads the error and calls it again.
    const second = await edit(first.interrupts[0]!.id, 'four').result;
    expect(JSON.stringify(inner.requests[1]!.contents)).toContain('sum must be a number.');
    expect(paid).toEqual([]);
    expect(second.interrupts).toMatchObject([{ payload: { args: { sum: 6 } } }]);
    expect(await edit(second.interrupts[0]!.id, 4).result).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([{ sum: 4 }]);
    expect(JSON.stringify(inner.requests[2]!.contents)).toContain('"editedArguments":{"sum":4}');
  });

  it('rejects edited arguments of a call of its agent if the tool does not allow them', async () => {
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const agent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(calls('pay', { sum: 5 })), tools: [pay] });
    const model = new ScriptedLlm(calls('clerk', { request: 'Pay.' }));
    const { runner } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const answers = { [interrupts[0]!.id]: { confirmed: true, editedArguments: { sum: 4 } } };
    const { error } = await outcomeOf(runner.resume({ ...ref, answers }));
    expect(error).toMatchObject({
      code: 'ARGUMENTS_NOT_EDITABLE',
      message: 'pay does not allow edited arguments. Confirm or reject the call unchanged.',
    });
    expect(await runner.pendingInterrupts(ref)).toHaveLength(1);
  });

  it('continues its agent when a timer of the agent is due', async () => {
    const { events, runnerOf, runtime } = await createDurableStore();
    const agent = agentOf('clerk', async function* (context) {
      await context.sleep(120_000);
      yield sayingEvent(context, 'Awake.');
    });
    const rootWith = (...answers: LlmResponse[]): LlmAgent =>
      rootOf(new ScriptedLlm(...answers), { tools: [new AgentTool({ agent })] });
    const before = runnerOf(rootWith(calls('clerk', { request: 'Sleep.' })));
    expect(await before.runToCompletion(hello)).toMatchObject({ status: 'paused', interrupts: [{ kind: 'timer' }] });
    await before.close();
    await runtime.advance(121_000);
    const after = runnerOf(rootWith(says('Done.')));
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'completed' }]);
    expect(answersIn(await events()).at(-1)).toEqual(['clerk', { result: 'Awake.' }]);
  });

  it('throws INTERRUPT_EXPIRED in a tool of its agent if no answer arrives in time', async () => {
    const { events, runnerOf, runtime } = await createDurableStore();
    const ask = toolOf('ask', (_args, context) =>
      context.requestInput({ message: 'Which?', ttlMs: 60_000 }).catch((error: { code?: string }) => {
        if (error.code === undefined) throw error;
        return { code: error.code };
      }),
    );
    const inner = new ScriptedLlm(calls('ask', {}, 'd1'), says('Nobody answers.'));
    const agent = new LlmAgent({ name: 'clerk', description: 'Asks.', model: inner, tools: [ask] });
    const model = new ScriptedLlm(calls('clerk', { request: 'Ask.' }), says('Done.'));
    const runner = runnerOf(rootOf(model, { tools: [new AgentTool({ agent })] }));
    await runner.runToCompletion(hello);
    await runtime.advance(61_000);
    await runner.idle();
    await settle();
    expect(JSON.stringify(inner.requests[1]!.contents)).toContain('{"code":"INTERRUPT_EXPIRED"}');
    expect(textsIn(await events()).at(-1)).toBe('root: Done.');
  });

  it('requests the result of a long-running call of its agent, which the caller does not see', async () => {
    const ticket = toolOf('ticket', () => undefined, { isLongRunning: true });
    const inner = new ScriptedLlm(calls('ticket', { seat: 7 }, 'd1'), says('Ticket 9.'));
    const agent = new LlmAgent({ name: 'clerk', description: 'Books.', model: inner, tools: [ticket] });
    const model = new ScriptedLlm(calls('clerk', { request: 'Book.' }, 'c1'), says('Done.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [new AgentTool({ agent })] }));
    const { interrupts } = await runner.runToCompletion(hello);
    expect(interrupts).toMatchObject([{ kind: 'input', functionCallId: 'c1', payload: { seat: 7 } }]);
    const run = runner.resume({ ...ref, answers: { [interrupts[0]!.id]: { number: 9 } } });
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(inner.requests[1]!.contents)).toContain('{"number":9}');
    expect(answersIn((await stored()).events).at(-1)).toEqual(['clerk', { result: 'Ticket 9.' }]);
    expect(JSON.stringify(model.requests.map(({ contents }) => contents))).not.toContain('ticket');
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

describe('A tool that runs several agents', () => {
  it.each(['another agent', 'input', 'a confirmation'])(
    'runs none of them again when it waits for %s',
    async (request) => {
      const { events, runnerOf } = await createDurableStore();
      const paid: string[] = [];
      const clerk = (name: string): LlmAgent => {
        const pay = toolOf('pay', () => paid.push(name), { requireConfirmation: true });
        const model = new ScriptedLlm(calls('pay', {}, `${name}-1`), says(`${name}.`));
        return new LlmAgent({ name, description: 'Pays.', model, tools: [pay] });
      };
      const clerks = [clerk('first'), clerk('second')];
      const both = toolOf('both', async (_args, context) => {
        const childTexts: string[] = [];
        for (const agent of request === 'another agent' ? clerks : clerks.slice(0, 1))
          for await (const event of context.runChild({ agent, message: 'Pay.' })) childTexts.push(...textsIn([event]));
        if (request === 'input') childTexts.push((await context.requestInput({ message: 'Sure?' })) as string);
        if (request === 'a confirmation' && !context.toolConfirmation) context.requestConfirmation({ hint: 'Sure?' });
        return { last: childTexts.at(-1)! };
      });
      const runner = runnerOf(rootOf(new ScriptedLlm(calls('both', {}, 'c1'), says('Done.')), { tools: [both] }));
      let { interrupts } = await runner.runToCompletion(hello);
      for (let i = 0; i < 2; i++) {
        const [{ id, kind }] = interrupts as [Interrupt];
        ({ interrupts } = await runner.resume({ ...ref, answers: { [id]: kind === 'input' ? 'Yes.' : true } }).result);
      }
      expect(interrupts).toEqual([]);
      expect(paid).toEqual(request === 'another agent' ? ['first', 'second'] : ['first']);
      const last = { 'another agent': 'second: second.', input: 'Yes.', 'a confirmation': 'first: first.' }[request];
      expect(answersIn(await events()).at(-1)).toEqual(['both', { last }]);
    },
  );
});
