import { textOf, TholeError } from '@thole/core';
import type { Agent, Event, Interrupt } from '@thole/core';
import { calls, says, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { createDurableStore } from '../support/durable-store.ts';
import { agentOf, says as sayingEvent } from '../support/setup.ts';
import { answersIn, createSetup, hello, outcomeOf, ref, rootOf, textsIn, toolOf } from '../support/llm-setup.ts';

/** Returns an agent that runs these agents one after another as children, applies their changes and yields their texts. */
function createManager(...children: Agent[]): Agent {
  return agentOf('manager', async function* (context) {
    for (const agent of children) {
      for await (const event of context.runChild({ agent, message: 'Work.' })) {
        context.state.update(event.actions.stateDelta);
        const text = event.content?.parts?.[0]?.text;
        if (text !== undefined) yield sayingEvent(context, `${event.author}: ${text}`);
      }
    }
  });
}

const textsOf = (events: readonly Event[]): string[] =>
  events.filter(({ author }) => author === 'manager').flatMap(({ content }) => textOf(content) || []);

describe('context.runChild of a tool', () => {
  it('yields partial events in streaming runs, and every stored event once', async () => {
    const texts: string[] = [];
    const agent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(streams('Hel', 'lo.')) });
    const tool = toolOf('delegate', async (_, context) => {
      for await (const { content, partial } of context.runChild({ agent, message: 'Work.' }))
        texts.push(`${textOf(content)}${partial ? ' (partial)' : ''}`);
    });
    const model = new ScriptedLlm(calls('delegate'), says('Done.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    await runner.runToCompletion({ ...hello, runConfig: { streamingMode: 'sse' } });
    expect(texts).toEqual(['Hel (partial)', 'lo. (partial)', 'Hello.']);
  });
});

describe('context.runChild of a custom agent', () => {
  it('pauses for a confirmation in its child, and continues the child in another process (contract 28)', async () => {
    const { runnerOf, events, sessions } = await createDurableStore();
    const paid: unknown[] = [];
    const pay = toolOf('pay', (args) => paid.push(args), { requireConfirmation: true });
    const clerk = (...answers: ConstructorParameters<typeof ScriptedLlm>): Agent =>
      new LlmAgent({ name: 'clerk', model: new ScriptedLlm(...answers), tools: [pay], outputKey: 'report' });
    const scout = agentOf('scout', async function* (context) {
      yield sayingEvent(context, `Scouted by ${await context.step('id', () => 'scout 1')}.`);
    });
    const first = await runnerOf(createManager(scout, clerk(calls('pay', { sum: 5 }, 'c1')))).runToCompletion(hello);
    expect(first).toMatchObject({
      status: 'paused',
      interrupts: [{ kind: 'confirmation', agentName: 'manager', payload: { toolName: 'pay', args: { sum: 5 } } }],
    });
    expect(paid).toEqual([]);
    const after = runnerOf(createManager(scout, clerk(says('Paid.'))));
    const run = after.resume({ ...ref, answers: { [first.interrupts[0]!.id]: true } });
    expect(await run.result).toMatchObject({ status: 'completed', interrupts: [] });
    expect(paid).toEqual([{ sum: 5 }]);
    expect(textsOf(await events())).toEqual(['scout: Scouted by scout 1.', 'clerk: Paid.']);
    expect((await sessions.getSession(ref))!.state).toEqual({ report: 'Paid.' });
  });

  it('pauses for each request of its children in turn, and for its own requests', async () => {
    const { runnerOf, events } = await createDurableStore();
    const asking = (name: string): Agent =>
      agentOf(name, async function* (context) {
        context.state.set(name, true);
        const day = await context.requestInput({ message: `Day of ${name}?` });
        const room = await context.requestInput({ message: `Room of ${name}?` });
        yield sayingEvent(context, `${day as string} in ${room as string}.`);
      });
    const manager = createManager(asking('one'), asking('two'));
    const root = agentOf('root', async function* (context) {
      const name = await context.requestInput({ message: 'Name?' });
      yield* context.runAgent(manager);
      yield sayingEvent(context, `Bye, ${name as string}.`);
    });
    const runner = runnerOf(root);
    const messages: (string | undefined)[] = [];
    let { interrupts } = await runner.resume({
      ...ref,
      invocationId: (await runner.runToCompletion(hello)).invocationId,
    }).result;
    for (let answer = 1; interrupts.length > 0; answer++) {
      messages.push(...interrupts.map(({ message }) => message));
      ({ interrupts } = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: answer } }).result);
    }
    expect(messages).toEqual(['Name?', 'Day of one?', 'Room of one?', 'Day of two?', 'Room of two?']);
    expect(textsOf(await events())).toEqual(['one: 2 in 3.', 'two: 4 in 5.']);
    expect(textsIn(await events()).at(-1)).toBe('root: Bye, 1.');
  });

  it('continues a child whose timer is due, and one whose request has expired', async () => {
    const { runnerOf, events, runtime } = await createDurableStore();
    const child = agentOf('child', async function* (context) {
      await context.sleep(120_000);
      const answer = await context.requestInput({ message: 'Well?', ttlMs: 60_000 }).catch((error: unknown) => {
        if (!TholeError.is(error, 'INTERRUPT_EXPIRED')) throw error;
        return error.code;
      });
      yield sayingEvent(context, answer as string);
    });
    const before = runnerOf(createManager(child));
    expect(await before.runToCompletion(hello)).toMatchObject({ status: 'paused', interrupts: [{ kind: 'timer' }] });
    await before.close();
    await runtime.advance(121_000);
    const after = runnerOf(createManager(child));
    expect(await Array.fromAsync(after.recover())).toMatchObject([{ outcome: 'paused' }]);
    await after.close();
    await runtime.advance(61_000);
    expect(await Array.fromAsync(runnerOf(createManager(child)).recover())).toMatchObject([{ outcome: 'completed' }]);
    expect(textsOf(await events())).toEqual(['child: INTERRUPT_EXPIRED']);
  });

  it('rejects a wrong answer and an answer to a request of another child', async () => {
    const { runnerOf } = await createDurableStore();
    const asking = (name: string): Agent =>
      agentOf(name, async function* (context) {
        const responseSchema = { type: 'number' };
        const answer = await context.requestInput({ message: `${name}?`, responseSchema });
        yield sayingEvent(context, `${answer as number}`);
      });
    const managers = ['left', 'right'].map((name) => ({ ...createManager(asking(`${name}_clerk`)), name }));
    const runner = runnerOf(new ParallelAgent({ name: 'root', subAgents: managers }));
    const { interrupts } = await runner.runToCompletion(hello);
    expect(interrupts.map(({ message }) => message)).toEqual(['left_clerk?', 'right_clerk?']);
    const [left, right] = interrupts as [Interrupt, Interrupt];
    const wrong = await outcomeOf(runner.resume({ ...ref, answers: { [right.id]: 'two' } }));
    expect(wrong.error?.code).toBe('ANSWER_INVALID');
    const second = await outcomeOf(runner.resume({ ...ref, answers: { [right.id]: 2 } }));
    expect(textsIn(second.events)).toEqual(['right: right_clerk: 2']);
    const third = await outcomeOf(runner.resume({ ...ref, answers: { [left.id]: 1 } }));
    expect(textsIn(third.events)).toEqual(['left: left_clerk: 1']);
    expect((await outcomeOf(runner.resume({ ...ref, answers: { [left.id]: 1 } }))).error?.code).toBe(
      'INTERRUPT_ANSWERED',
    );
  });

  it('pauses inside an AgentTool', async () => {
    const { runnerOf, events } = await createDurableStore();
    const asking = agentOf('asking', async function* (context) {
      yield sayingEvent(context, (await context.requestInput({ message: 'Which?' })) as string);
    });
    const model = new ScriptedLlm(calls('manager', { request: 'Ask.' }), says('Thanks.'));
    const runner = runnerOf(rootOf(model, { tools: [new AgentTool({ agent: createManager(asking) })] }));
    const { interrupts } = await runner.runToCompletion(hello);
    expect(interrupts).toMatchObject([{ kind: 'input', message: 'Which?', toolName: 'manager' }]);
    const run = runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'this' } });
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(answersIn(await events()).at(-1)).toEqual(['manager', { result: 'asking: this' }]);
  });

  it('answers a call that waits with an error that names the reason if the app cannot pause', async () => {
    const { runnerOf, events } = await createDurableStore();
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const model = new ScriptedLlm(calls('pay'), says('Sorry.'));
    const clerk = new LlmAgent({ name: 'clerk', model, tools: [pay] });
    const runner = runnerOf(createManager(clerk), { resumability: { isResumable: false } });
    expect(await runner.runToCompletion(hello)).toMatchObject({ status: 'completed' });
    expect(textsOf(await events())).toEqual(['clerk: Sorry.']);
    expect(JSON.stringify(model.requests[1]!.contents)).toContain('isResumable');
  });
});
