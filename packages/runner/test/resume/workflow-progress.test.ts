import { textOf } from '@thole/core';
import type { Agent, Content, Event, LlmResponse, Plugin } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { LoopAgent } from '../../src/agents/loop-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { createDurableStore, runAndClose } from '../support/durable-store.ts';
import {
  createSetup,
  hello,
  outcomeOf,
  ref,
  rootOf,
  settle,
  stringsSchema,
  textsIn,
  toolOf,
} from '../support/llm-setup.ts';
import { agentOf, says as sayingEvent } from '../support/setup.ts';

const never = (): Promise<never> => new Promise(() => {});
const llm = (name: string, model: ScriptedLlm, more: object = {}): LlmAgent => new LlmAgent({ name, model, ...more });
const pathsOf = (events: readonly Event[]): (string | undefined)[] => events.map(({ nodeInfo }) => nodeInfo?.path);
const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });

describe('endOfAgent of an answer of afterAgentCallback', () => {
  it.each([
    [true, [undefined, true]],
    [false, [undefined, undefined]],
  ])('is set for workflow agents, not for an LlmAgent, with isResumable: %s', async (isResumable, expected) => {
    const answer = (text: string) => (): Content => ({ role: 'model', parts: [{ text }] });
    const inner = llm('inner', new ScriptedLlm(says('Hi.')), { afterAgentCallback: answer('inner ends') });
    const rootAgent = new SequentialAgent({
      name: 'root',
      subAgents: [inner],
      afterAgentCallback: answer('root ends'),
    });
    const app = { name: 'app', rootAgent, resumability: { isResumable } };
    const { runner } = await createSetup(rootAgent, { app, appName: undefined, agent: undefined } as never);
    const { events } = await outcomeOf(runner.runAsync(hello));
    const ends = events.filter(({ content }) => textOf(content).endsWith('ends'));
    expect(ends.map(({ actions }) => actions.endOfAgent)).toEqual(expected);
  });
});

describe('The path of an event', () => {
  it('names each agent below the first, and the number of its call by its parent', async () => {
    const writer = llm('writer', new ScriptedLlm(says('A.'), says('B.')));
    const loop = new LoopAgent({ name: 'loop', subAgents: [writer], maxIterations: 2 });
    const { runner, stored } = await createSetup(new SequentialAgent({ name: 'plan', subAgents: [loop] }));
    await runner.runToCompletion(hello);
    expect(pathsOf((await stored()).events)).toEqual([undefined, 'plan/loop/writer', 'plan/loop/writer#2']);
  });

  it('is not stored for a single LlmAgent, whose run stores nothing extra', async () => {
    const model = new ScriptedLlm(calls('look', {}, 'c1'), says('Seen.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [toolOf('look', () => 'a view')] }));
    await runner.runToCompletion(hello);
    const { events } = await stored();
    expect(events).toHaveLength(4);
    expect(pathsOf(events)).toEqual([undefined, undefined, undefined, undefined]);
    expect(events.every(({ customMetadata }) => customMetadata === undefined)).toBe(true);
    expect(events.every(({ actions }) => actions.endOfAgent === undefined && actions.agentState === undefined)).toBe(
      true,
    );
  });
});

describe('A resumed LoopAgent', () => {
  const loop = (model: ScriptedLlm, other: ScriptedLlm): Agent =>
    new LoopAgent({ name: 'root', subAgents: [llm('one', model), llm('two', other)], maxIterations: 2 });

  it('continues the count of iterations', async () => {
    const { runnerOf, events } = await createDurableStore();
    await runAndClose(runnerOf(loop(new ScriptedLlm(says('1a'), says('1b')), new ScriptedLlm(says('2a'), never))));
    await Array.fromAsync(runnerOf(loop(new ScriptedLlm(), new ScriptedLlm(says('2b')))).recover());
    expect(textsIn(await events()).filter((text) => !/^(user|system)/.test(text))).toEqual([
      'one: 1a',
      'two: 2a',
      'one: 1b',
      'two: 2b',
    ]);
  });

  it('ends at once if an agent escalated before the crash', async () => {
    const { runnerOf, events } = await createDurableStore();
    const escalate = (context: { actions: { escalate?: boolean } }): string => {
      context.actions.escalate = true;
      return 'enough';
    };
    const tools = [toolOf('stop', (_args, context) => escalate(context as never), { idempotent: true })];
    const agents = (model: ScriptedLlm, last: ScriptedLlm): Agent =>
      new SequentialAgent({
        name: 'root',
        subAgents: [new LoopAgent({ name: 'loop', subAgents: [llm('critic', model, { tools })] }), llm('last', last)],
      });
    const first = new ScriptedLlm(calls('stop', {}, 'c1'), says('Enough.'));
    await runAndClose(runnerOf(agents(first, new ScriptedLlm(never))));
    await Array.fromAsync(runnerOf(agents(new ScriptedLlm(), new ScriptedLlm(says('Over.')))).recover());
    expect(textsIn(await events()).at(-1)).toBe('last: Over.');
  });
});

describe('A ParallelAgent', () => {
  it('completes other branches while one waits, and then runs only that branch (contract 28)', async () => {
    const { runnerOf, events } = await createDurableStore();
    const agents = (first: ScriptedLlm, second: ScriptedLlm): Agent =>
      new ParallelAgent({ name: 'root', subAgents: [llm('asking', first, { tools: [pay] }), llm('working', second)] });
    const before = runnerOf(agents(new ScriptedLlm(calls('pay', {}, 'c1')), new ScriptedLlm(says('Worked.'))));
    const { interrupts, status } = await before.runToCompletion(hello);
    expect(status).toBe('paused');
    expect(textsIn(await events())).toContain('working: Worked.');
    const after = runnerOf(agents(new ScriptedLlm(says('Paid.')), new ScriptedLlm()));
    const { events: shown } = await outcomeOf(after.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(textsIn(shown).at(-1)).toBe('asking: Paid.');
  });
});

describe('A resumed ParallelAgent', () => {
  it('continues a custom agent although another branch has newer events', async () => {
    const asking = agentOf('asking', async function* (context) {
      yield sayingEvent(context, 'Before.');
      yield sayingEvent(context, (await context.requestInput({ message: 'Which?' })) as string);
    });
    const gate = Promise.withResolvers<void>();
    const slow = agentOf('slow', async function* (context) {
      await gate.promise;
      yield sayingEvent(context, 'Late.');
    });
    const { runner, stored } = await createSetup(new ParallelAgent({ name: 'root', subAgents: [asking, slow] }));
    const first = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    gate.resolve();
    const { interrupts } = await first.result;
    const { status } = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'blue' } }).result;
    const texts = textsIn((await stored()).events).filter((text) => text.startsWith('asking: '));
    expect([status, texts]).toEqual(['completed', ['asking: Before.', 'asking: functionCall', 'asking: blue']]);
  });
});

describe('A resumed SequentialAgent with a transfer', () => {
  it('continues the target of the transfer, and then the next agent', async () => {
    const { runnerOf, events } = await createDurableStore();
    const agents = (model: ScriptedLlm, other: ScriptedLlm, last: ScriptedLlm): Agent =>
      new SequentialAgent({
        name: 'root',
        subAgents: [llm('first', model, { subAgents: [llm('other', other, { tools: [pay] })] }), llm('last', last)],
      });
    const transfer = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'other' }, 'c1'));
    const before = runnerOf(agents(transfer, new ScriptedLlm(calls('pay', {}, 'c2')), new ScriptedLlm()));
    const { interrupts } = await before.runToCompletion(hello);
    const after = runnerOf(agents(new ScriptedLlm(), new ScriptedLlm(says('Paid.')), new ScriptedLlm(says('Last.'))));
    await outcomeOf(after.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(textsIn(await events()).slice(-2)).toEqual(['other: Paid.', 'last: Last.']);
  });
});

describe('A resumed SequentialAgent after an answer without content', () => {
  it.each<[string, LlmResponse]>([
    ['blocked', { finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED', errorMessage: 'Blocked.' }],
    ['empty', { finishReason: 'MAX_TOKENS' }],
  ])('does not call the model again: %s (contract 28)', async (_, answer) => {
    const model = new ScriptedLlm(answer, says('Again.'));
    const two = llm('two', new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.')), { tools: [pay] });
    const { runner } = await createSetup(new SequentialAgent({ name: 'root', subAgents: [llm('one', model), two] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const { events } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(textsIn(events).at(-1)).toBe('two: Paid.');
    expect(model.requests).toHaveLength(1);
  });
});

describe('context.step of a resumed agent', () => {
  it('returns the recorded result of the n-th use of its name, and records no errors', async () => {
    const { runnerOf, events } = await createDurableStore();
    const runs: string[] = [];
    let fails = true;
    const agent = agentOf('root', async function* (context) {
      const step = (name: string): Promise<string> =>
        context.step(name, () => (runs.push(name), `${name}${runs.length}`));
      const found = [await step('a'), await step('b'), await step('a')];
      found.push(
        await context
          .step('c', () => {
            if (fails) throw new Error('Not now.');
            return 'c';
          })
          .catch(() => 'failed'),
      );
      await context.requestInput({ message: 'Go on?' });
      yield sayingEvent(context, found.join(' '));
    });
    const runner = runnerOf(agent);
    const { interrupts } = await runner.runToCompletion(hello);
    fails = false;
    await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'yes' } }));
    expect(textsIn(await events()).at(-1)).toBe('root: a1 b2 a3 c');
    expect(runs).toEqual(['a', 'b', 'a']);
    const steps = (await events()).flatMap(({ content, customMetadata }) =>
      customMetadata?.['step'] ? [[content, customMetadata['step']]] : [],
    );
    expect(steps).toMatchObject([
      [undefined, { path: 'root', name: 'a', n: 1, result: 'a1' }],
      [undefined, { path: 'root', name: 'b', n: 1, result: 'b2' }],
      [undefined, { path: 'root', name: 'a', n: 2, result: 'a3' }],
      [undefined, { path: 'root', name: 'c', n: 1, result: 'c' }],
    ]);
  });

  it('fails with PLUGIN_FAILED if a plugin drops its event', async () => {
    const agent = agentOf('root', async function* (context) {
      await context.step('pick', () => 1);
    });
    const dropping: Plugin = {
      name: 'dropping',
      onEventCallback: async ({ event }) => (event.customMetadata?.['step'] ? null : undefined),
    };
    const { runner } = await createSetup(agent, { plugins: [dropping] });
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('PLUGIN_FAILED');
  });

  it('passes the same idempotencyKey to each attempt, and a different key to each step', async () => {
    const { runnerOf } = await createDurableStore();
    const keys: string[] = [];
    let fails = true;
    const agent = agentOf('root', async function* (context) {
      await context.step('a', ({ idempotencyKey }) => void keys.push(idempotencyKey));
      await context
        .step('b', ({ idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (fails) throw new Error('Not now.');
        })
        .catch(() => {});
      await context.requestInput({ message: 'Go on?' });
      yield sayingEvent(context, 'Done.');
    });
    const runner = runnerOf(agent);
    const { interrupts } = await runner.runToCompletion(hello);
    fails = false;
    await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: 'yes' } }));
    expect(keys).toHaveLength(3);
    expect(keys[2]).toBe(keys[1]);
    expect(keys[1]).not.toBe(keys[0]);
  });
});

describe('Callbacks of a resumed run', () => {
  it('repeat before hooks, and run the other hooks only for new work', async () => {
    const { runnerOf, sessions, runtime } = await createDurableStore();
    let log: string[] = [];
    const note =
      (name: string) =>
      (p: unknown): undefined => {
        const { callbackContext, invocationContext, toolContext } = p as Record<string, { resumed?: boolean }>;
        const context = callbackContext ?? invocationContext ?? toolContext;
        log.push(`${name} ${context?.resumed === true ? 'resumed' : 'first'}`);
        return undefined;
      };
    const names = [
      'onUserMessageCallback',
      'beforeRunCallback',
      'afterRunCallback',
      'beforeAgentCallback',
      'afterAgentCallback',
      'beforeModelCallback',
      'afterModelCallback',
      'beforeToolCallback',
      'afterToolCallback',
    ] as const;
    const plugin = { name: 'log', ...Object.fromEntries(names.map((name) => [name, note(name)])) };
    const look = toolOf('look', never, { idempotent: true });
    await runAndClose(
      runnerOf(rootOf(new ScriptedLlm(calls('look', {}, 'c1')), { tools: [look] }), { plugins: [plugin] }),
    );
    expect(log).toEqual([
      'onUserMessageCallback first',
      'beforeRunCallback first',
      'beforeAgentCallback first',
      'beforeModelCallback first',
      'afterModelCallback first',
      'beforeToolCallback first',
      'afterRunCallback first',
    ]);
    log = [];
    const seen = toolOf('look', () => 'seen', { idempotent: true });
    await runtime.advance(1);
    const after = runnerOf(rootOf(new ScriptedLlm(says('Seen.')), { tools: [seen] }), { plugins: [plugin] });
    await Array.fromAsync(after.recover());
    expect(log).toEqual([
      'beforeRunCallback resumed',
      'beforeAgentCallback resumed',
      'beforeToolCallback resumed',
      'afterToolCallback resumed',
      'beforeModelCallback resumed',
      'afterModelCallback resumed',
      'afterAgentCallback resumed',
      'afterRunCallback resumed',
    ]);
    expect((await sessions.getSession(ref))!.events.at(-1)?.content?.parts).toEqual([{ text: 'Seen.' }]);
  });

  it('do not call afterAgentCallback for an agent that pauses (contract 21)', async () => {
    const ended: string[] = [];
    const afterAgentCallback = ({ agentName }: { agentName: string }): undefined => void ended.push(agentName);
    const asking = agentOf('asking', async function* (context) {
      yield sayingEvent(context, (await context.requestInput({ message: 'Which?' })) as string);
    });
    const first = llm('first', new ScriptedLlm(calls('pay', {}, 'c1'), says('1')), {
      tools: [pay],
      afterAgentCallback,
    });
    const agent = new SequentialAgent({
      name: 'root',
      subAgents: [first, { ...asking, afterAgentCallback }],
      afterAgentCallback,
    });
    const { runner } = await createSetup(agent);
    let { interrupts } = await runner.runToCompletion(hello);
    const found: string[][] = [];
    for (const answer of [true, 'blue']) {
      found.push([...ended]);
      ({ interrupts } = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: answer } }).result);
    }
    expect([...found, ended]).toEqual([[], ['first'], ['first', 'asking', 'root']]);
  });

  it('count an answer of beforeAgentCallback only if the agent has no event yet', async () => {
    const { runnerOf, events } = await createDurableStore();
    const first = runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [pay] }));
    const { interrupts } = await first.runToCompletion(hello);
    const answer = { role: 'model' as const, parts: [{ text: 'Instead.' }] };
    const plugins = [{ name: 'p', beforeRunCallback: () => answer }];
    const agent = rootOf(new ScriptedLlm(says('Paid.')), { tools: [pay], beforeAgentCallback: () => answer });
    await outcomeOf(runnerOf(agent, { plugins }).resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(textsIn(await events()).at(-1)).toBe('root: Paid.');
    expect(textsIn(await events())).not.toContain('root: Instead.');
  });

  it('lose temp: state, and keep state that was stored with an event', async () => {
    const { runnerOf } = await createDurableStore();
    const seen: unknown[] = [];
    const tool = toolOf('book', async (_args, context) => {
      seen.push([context.state.get('kept'), context.state.get('temp:x')]);
      return context.requestInput({ message: 'Which?' });
    });
    const set = toolOf('set', (_args, { state }) => (state.set('kept', 1), state.set('temp:x', 1), 'set'));
    const tools = [set, tool];
    const first = runnerOf(rootOf(new ScriptedLlm(calls('set', {}, 'c1'), calls('book', {}, 'c2')), { tools }));
    const { interrupts } = await first.runToCompletion(hello);
    const after = runnerOf(rootOf(new ScriptedLlm(says('Ok.')), { tools }));
    await outcomeOf(after.resume({ ...ref, answers: { [interrupts[0]!.id]: 'x' } }));
    expect(seen).toEqual([
      [1, 1],
      [1, undefined],
    ]);
  });
});

describe('maxLlmCalls', () => {
  it('counts over all runs of an invocation, which can continue with a higher limit', async () => {
    const { runnerOf, events } = await createDurableStore();
    const model = new ScriptedLlm({ ...calls('pay', {}, 'c1'), usageMetadata: { totalTokenCount: 1 } }, says('Paid.'));
    const runner = runnerOf(rootOf(model, { tools: [pay] }));
    const { interrupts, invocationId } = await runner.runToCompletion({ ...hello, runConfig: { maxLlmCalls: 1 } });
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(error?.code).toBe('LLM_CALL_LIMIT');
    expect((await events()).at(-1)?.errorCode).toBe('LLM_CALL_LIMIT');
    const last = runner.resume({ ...ref, invocationId, runConfig: { maxLlmCalls: 2 } });
    expect((await outcomeOf(last)).error).toBeUndefined();
    expect(textsIn(await events()).at(-1)).toBe('root: Paid.');
  });
});

describe('context.sleep of an agent', () => {
  it('waits in the process up to 60 s, and pauses the run for a longer time', async () => {
    const { runnerOf, runtime } = await createDurableStore();
    const agent = (ms: number): Agent =>
      agentOf('root', async function* (context) {
        await context.sleep(ms);
        yield sayingEvent(context, 'Awake.');
      });
    const run = runnerOf(agent(60_000)).runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    await runtime.advance(60_000);
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(await runnerOf(agent(60_001)).runToCompletion(hello)).toMatchObject({
      status: 'paused',
      interrupts: [{ kind: 'timer', expiresAt: runtime.now() + 60.001 }],
    });
  });

  it('cannot be answered by a person', async () => {
    const { runnerOf, events } = await createDurableStore();
    const runner = runnerOf(
      agentOf('root', async function* (context) {
        await context.sleep(3_600_000);
        yield sayingEvent(context, 'Awake.');
      }),
    );
    const { interrupts } = await runner.runToCompletion(hello);
    const before = await events();
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: {} } }));
    expect(error).toMatchObject({ code: 'INTERRUPT_MISMATCH', details: { reason: 'timer' } });
    expect(await events()).toEqual(before);
  });
});

describe('An update of a long-running call', () => {
  it('is ANSWER_INVALID for a tool without acceptsUpdates, and stores nothing', async () => {
    const { runnerOf, events } = await createDurableStore();
    const tool = toolOf('order', () => ({ ticket: 1 }), { isLongRunning: true });
    const runner = runnerOf(rootOf(new ScriptedLlm(calls('order', {}, 'c1'), says('It comes.')), { tools: [tool] }));
    await runner.runToCompletion(hello);
    const before = await events();
    const update = { id: 'c1', name: 'order', response: { progress: 0.5 }, willContinue: true };
    const newMessage = { role: 'user' as const, parts: [{ functionResponse: update }] };
    expect((await outcomeOf(runner.runAsync({ ...hello, newMessage }))).error?.code).toBe('ANSWER_INVALID');
    expect(await events()).toEqual(before);
  });
});

describe('An invocation that is resumed after another invocation', () => {
  it('leaves a log A, B, A, whose prompt has each call with its answer (contract 17)', async () => {
    const { runnerOf, events } = await createDurableStore();
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('B.'), says('A.'), says('C.'));
    const runner = runnerOf(rootOf(model, { tools: [pay] }));
    const first = await runner.runToCompletion(hello);
    const second = await runner.runToCompletion({ ...hello, newMessage: 'other' });
    await outcomeOf(runner.resume({ ...ref, answers: { [first.interrupts[0]!.id]: true } }));
    const ids = (await events()).map(({ invocationId }) => (invocationId === first.invocationId ? 'A' : 'B'));
    expect(ids.join('').replace(/(.)\1+/g, '$1')).toBe('ABA');
    await runner.runToCompletion({ ...hello, newMessage: 'third' });
    const prompt = JSON.stringify(model.requests[3]!.contents);
    expect(prompt).toContain('"paid"');
    expect(prompt).not.toContain('outcome unknown');
    expect(second.status).toBe('completed');
  });
});

describe('runConfig.maxLlmCalls', () => {
  it('counts the calls of all runs, also of a model that reports no tokens', async () => {
    const { runnerOf, events } = await createDurableStore();
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.'));
    const runner = runnerOf(rootOf(model, { tools: [pay] }));
    const { interrupts, invocationId } = await runner.runToCompletion({ ...hello, runConfig: { maxLlmCalls: 1 } });
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect([error?.code, (await events()).at(-1)?.errorCode]).toEqual(['LLM_CALL_LIMIT', 'LLM_CALL_LIMIT']);
    const last = runner.resume({ ...ref, invocationId, runConfig: { maxLlmCalls: 2 } });
    expect((await outcomeOf(last)).error).toBeUndefined();
    expect(textsIn(await events()).at(-1)).toBe('root: Paid.');
  });

  it('counts no extra call for an answer through set_model_response', async () => {
    const { runnerOf, events } = await createDurableStore();
    const typed = stringsSchema('name');
    const first = llm('first', new ScriptedLlm(calls('set_model_response', { name: 'ann' }, 'c0')), {
      tools: [toolOf('look', () => 'seen')],
      outputSchema: typed,
    });
    const second = llm('second', new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.')), { tools: [pay] });
    const runner = runnerOf(new SequentialAgent({ name: 'root', subAgents: [first, second] }));
    const { interrupts } = await runner.runToCompletion({ ...hello, runConfig: { maxLlmCalls: 3 } });
    expect((await outcomeOf(runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }))).error).toBeUndefined();
    expect(textsIn(await events()).at(-1)).toBe('second: Paid.');
  });
});

describe('SequentialAgent in a branch', () => {
  it('waits for an open call without a first result when another branch continues (contract 28)', async () => {
    const job = toolOf('job', () => undefined, { isLongRunning: true });
    const [worker, next] = [new ScriptedLlm(calls('job', {}, 'c1'), says('Finished.')), new ScriptedLlm(says('Next.'))];
    const payer = new ScriptedLlm(calls('pay', {}, 'c2'), says('Paid.'));
    const counts = (): number[] => [worker, payer, next].map(({ requests }) => requests.length);
    const subAgents = [llm('worker', worker, { tools: [job] }), llm('next', next)];
    const branches = [new SequentialAgent({ name: 'plan', subAgents }), llm('payer', payer, { tools: [pay] })];
    const { runner } = await createSetup(new ParallelAgent({ name: 'root', subAgents: branches }));
    const { interrupts } = await runner.runToCompletion(hello);
    const { id } = interrupts.find(({ kind }) => kind === 'confirmation')!;
    expect(await runner.resume({ ...ref, answers: { [id]: true } }).result).toMatchObject({ status: 'paused' });
    expect(counts()).toEqual([1, 2, 0]);
    expect(await runner.resume({ ...ref, answers: { c1: 'ready' } }).result).toMatchObject({ status: 'completed' });
    expect(counts()).toEqual([2, 2, 1]);
  });
});
