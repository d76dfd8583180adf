import type { Tool } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { createDurableStore, runAndClose, createStuckTool } from '../support/durable-store.ts';
import type { DurableStore } from '../support/durable-store.ts';
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

const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });

/** Returns two parallel agents: the first waits for a confirmation, the second calls its model. */
function createParallelAgent(second: ScriptedLlm): ParallelAgent {
  return new ParallelAgent({
    name: 'root',
    subAgents: [
      new LlmAgent({ name: 'asking', model: new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.')), tools: [pay] }),
      new LlmAgent({ name: 'working', model: second }),
    ],
  });
}

const throwError = (): never => {
  throw new Error('The model failed.');
};

describe('A failed run', () => {
  it('stores its closing record and is not recovered', async () => {
    const { runnerOf, events }: DurableStore = await createDurableStore();
    const runner = runnerOf(createParallelAgent(new ScriptedLlm(throwError, says('Worked.'))));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error?.code).toMatch(/^(MODEL|AGENT)_/);
    const { invocationId } = (await events())[0]!;
    expect((await events()).at(-1)).toMatchObject({ errorCode: error!.code, invocationId });
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
  });

  it('is continued by resume, which calls the model again', async () => {
    const { runnerOf, events } = await createDurableStore();
    const runner = runnerOf(rootOf(new ScriptedLlm(throwError, says('Again.'))));
    await outcomeOf(runner.runAsync(hello));
    const { invocationId } = (await events())[0]!;
    const run = runner.resume({ ...ref, invocationId });
    expect((await outcomeOf(run)).error).toBeUndefined();
    expect(await run.result).toMatchObject({ status: 'completed', invocationId });
    expect(textsIn(await events()).at(-1)).toBe('root: Again.');
  });

  it('is continued by resume with a stateDelta only, which is stored before the model is called', async () => {
    const { runnerOf, events, sessions } = await createDurableStore();
    const seen: unknown[] = [];
    const agent = rootOf(new ScriptedLlm(throwError, says('Fine.')), {
      instruction: ({ state }) => String(seen.push(state.get('retry') ?? 'none')),
    });
    const runner = runnerOf(agent);
    await outcomeOf(runner.runAsync(hello));
    const { invocationId } = (await events())[0]!;
    const { error } = await outcomeOf(runner.resume({ ...ref, invocationId, stateDelta: { retry: 1 } }));
    expect([error, seen]).toEqual([undefined, ['none', 1]]);
    expect((await sessions.getSession(ref))!.state).toEqual({ retry: 1 });
  });

  it('keeps an open interrupt, whose answer continues the invocation', async () => {
    const { runnerOf } = await createDurableStore();
    const gate = Promise.withResolvers<void>();
    const late = new ScriptedLlm(async () => {
      await gate.promise;
      return throwError();
    }, says('Worked.'));
    const runner = runnerOf(createParallelAgent(late));
    const run = outcomeOf(runner.runAsync(hello));
    await settle();
    gate.resolve();
    expect((await run).error).toBeDefined();
    const [interrupt] = await runner.pendingInterrupts(ref);
    expect(interrupt).toMatchObject({ kind: 'confirmation' });
    const resumed = runner.resume({ ...ref, answers: { [interrupt!.id]: true } });
    expect(await resumed.result).toMatchObject({ status: 'completed' });
  });
});

describe('A run that is stopped', () => {
  it('by its abortSignal closes its interrupts and cannot be resumed', async () => {
    const { runnerOf } = await createDurableStore();
    const runner = runnerOf(createParallelAgent(new ScriptedLlm(() => new Promise(() => {}))));
    const abort = new AbortController();
    const run = runner.runAsync({ ...hello, abortSignal: abort.signal, runConfig: { reader: 'detached' } });
    await settle();
    const [interrupt] = await runner.pendingInterrupts(ref);
    abort.abort();
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'RUN_ABORTED' }, interrupts: [] });
    expect(await runner.pendingInterrupts(ref)).toEqual([]);
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { [interrupt!.id]: true } }));
    expect(error?.code).toBe('INVOCATION_ENDED');
  });

  it('because its reader left stores RUN_LEFT and can be resumed', async () => {
    const { runnerOf, events } = await createDurableStore();
    const look = toolOf('look', () => 'seen', { idempotent: true });
    const model = new ScriptedLlm(calls('look', {}, 'c1'), says('Seen.'));
    const runner = runnerOf(rootOf(model, { tools: [look] }));
    const run = runner.runAsync(hello);
    await run.next();
    await run.return!();
    await run.done;
    expect((await events()).at(-1)?.errorCode).toBe('RUN_LEFT');
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
    const { invocationId } = run;
    expect((await outcomeOf(runner.resume({ ...ref, invocationId }))).error).toBeUndefined();
    expect(textsIn(await events()).at(-1)).toBe('root: Seen.');
  });
});

describe('A run that is replaced or abandoned', () => {
  it('by the policy interrupt ends with RUN_INTERRUPTED and cannot be resumed', async () => {
    const look = toolOf('look', () => new Promise(() => {}));
    const agent = rootOf(new ScriptedLlm(calls('look', {}, 'c1'), says('Newer.')), { tools: [look] });
    const { runner, stored } = await createSetup(agent, { concurrency: { policy: 'interrupt' } });
    const first = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    expect((await runner.runToCompletion(hello)).status).toBe('completed');
    expect(await first.result).toMatchObject({ status: 'failed', error: { code: 'RUN_INTERRUPTED' } });
    const before = await stored();
    const { error } = await outcomeOf(runner.resume({ ...ref, invocationId: first.invocationId }));
    expect(error?.code).toBe('INVOCATION_ENDED');
    expect(await stored()).toEqual(before);
  });

  it('by its reader stores RUN_ABANDONED and can be resumed', async () => {
    const { runtime, runnerOf, events } = await createDurableStore();
    const look = toolOf('look', () => 'seen', { idempotent: true });
    const runner = runnerOf(rootOf(new ScriptedLlm(calls('look', {}, 'c1'), says('Seen.')), { tools: [look] }));
    const run = runner.runAsync({ ...hello, runConfig: { idleLimitMs: 1_000 } });
    await run.next();
    await runtime.advance(2_000);
    await outcomeOf(run);
    expect((await events()).at(-1)?.errorCode).toBe('RUN_ABANDONED');
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
    expect((await outcomeOf(runner.resume({ ...ref, invocationId: run.invocationId }))).error).toBeUndefined();
    expect(textsIn(await events()).at(-1)).toBe('root: Seen.');
  });
});

describe('runConfig.timeLimitMs', () => {
  it('applies to each run of an invocation separately', async () => {
    const { runtime, runnerOf, events } = await createDurableStore();
    const answerSlowly = async () => {
      await runtime.sleep(800);
      return says('Paid.');
    };
    const runner = runnerOf(
      rootOf(new ScriptedLlm(calls('pay', {}, 'c1'), answerSlowly, answerSlowly), { tools: [pay] }),
    );
    const { interrupts, invocationId } = await runner.runToCompletion({ ...hello, runConfig: { timeLimitMs: 1_000 } });
    await runtime.advance(5_000);
    const resumed = runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true }, runConfig: { timeLimitMs: 500 } });
    const ending = outcomeOf(resumed);
    await settle();
    await runtime.advance(500);
    expect((await ending).error?.code).toBe('RUN_TIME_LIMIT');
    const last = outcomeOf(runner.resume({ ...ref, invocationId, runConfig: { timeLimitMs: 1_000 } }));
    await settle();
    await runtime.advance(800);
    expect((await last).error).toBeUndefined();
    expect(textsIn(await events()).at(-1)).toBe('root: Paid.');
  });
});

describe('A reader that leaves at the event that pauses the run', () => {
  it('ends the run as paused, without a closing record', async () => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [pay] }));
    const run = runner.runAsync(hello);
    for await (const event of run) if (event.longRunningToolIds?.length) break;
    expect(await run.result).toMatchObject({ status: 'paused', interrupts: [{ kind: 'confirmation' }] });
    expect((await stored()).events.some(({ errorCode }) => errorCode !== undefined)).toBe(false);
  });
});

describe('Run.opened', () => {
  it('resolves to the invocation before the first event, and runId names each run', async () => {
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.')), { tools: [pay] }),
    );
    const first = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    const { invocationId } = await first.opened;
    expect(first.invocationId).toBe(invocationId);
    const [interrupt] = (await first.result).interrupts;
    const second = runner.resume({ ...ref, answers: { [interrupt!.id]: true } });
    expect(second.runId).not.toBe(first.runId);
    const next = second.next();
    expect(await second.opened).toEqual({ invocationId });
    await next;
    await Array.fromAsync(second);
  });
});

describe('Runner.resume without invocationId', () => {
  it('continues the only paused invocation, and throws INVALID_INPUT with the list for several', async () => {
    const { runner, stored } = await createSetup(
      rootOf(new ScriptedLlm(calls('pay', {}, 'c1'), calls('pay', {}, 'c2')), { tools: [pay] }),
    );
    const first = await runner.runToCompletion(hello);
    expect(await runner.resume(ref).result).toMatchObject({ status: 'paused', invocationId: first.invocationId });
    const second = await runner.runToCompletion(hello);
    const before = await stored();
    for (const answers of [undefined, { [first.interrupts[0]!.id]: true, [second.interrupts[0]!.id]: true }]) {
      const { error } = await outcomeOf(runner.resume({ ...ref, ...(answers && { answers }) }));
      expect(error?.code).toBe('INVALID_INPUT');
      for (const { invocationId } of [first, second]) expect(error?.message).toContain(invocationId);
    }
    expect(await stored()).toEqual(before);
  });

  it('continues the invocation of a dead process, and lists it with paused invocations', async () => {
    const { runnerOf, events } = await createDurableStore();
    const { tool, runs } = createStuckTool({ idempotent: true });
    const first = runnerOf(rootOf(new ScriptedLlm(calls('ask', {}, 'c1')), { tools: [{ ...pay, name: 'ask' }] }));
    const paused = await first.runToCompletion(hello);
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(calls('pay', {}, 'c2')), { tools: [tool] })));
    const unfinished = (await events()).at(-1)!.invocationId;
    const after = runnerOf(rootOf(new ScriptedLlm(says('Paid.')), { tools: [tool] }));
    const { error } = await outcomeOf(after.resume(ref));
    expect(error?.code).toBe('INVALID_INPUT');
    for (const id of [paused.invocationId, unfinished]) expect(error?.message).toContain(id);
    await after.cancel({ ...ref, invocationId: paused.invocationId });
    expect(await after.resume(ref).result).toMatchObject({ status: 'completed', invocationId: unfinished });
    expect(runs()).toBe(2);
  });

  it('throws INVOCATION_NOT_FOUND if nothing is paused or unfinished', async () => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(says('Hello.'))));
    await runner.runToCompletion(hello);
    const before = await stored();
    expect((await outcomeOf(runner.resume(ref))).error?.code).toBe('INVOCATION_NOT_FOUND');
    expect(await stored()).toEqual(before);
  });
});

describe('resumability.isResumable: false', () => {
  it('turns off paths, resume and cancel; an answer starts a new run at the agent of the call', async () => {
    const { runnerOf, events } = await createDurableStore();
    const order = toolOf('order', () => ({ ticket: 1 }), { isLongRunning: true });
    const asking = new LlmAgent({
      name: 'asking',
      model: new ScriptedLlm(calls('order', {}, 'c1'), says('It comes.'), says('Arrived.')),
      tools: [order],
    });
    const root = new ParallelAgent({ name: 'root', subAgents: [asking] });
    const runner = runnerOf(root, { resumability: { isResumable: false } });
    const first = await runner.runToCompletion(hello);
    expect((await events()).every(({ nodeInfo }) => nodeInfo?.path === undefined)).toBe(true);
    expect((await outcomeOf(runner.resume({ ...ref, invocationId: first.invocationId }))).error?.code).toBe(
      'INVALID_INPUT',
    );
    const before = await events();
    expect(await runner.cancel({ ...ref, invocationId: first.invocationId })).toBe(false);
    expect(await events()).toEqual(before);
    const functionResponse = { id: 'c1', name: 'order', response: { arrived: true } };
    const newMessage = { role: 'user' as const, parts: [{ functionResponse }] };
    const second = await runner.runToCompletion({ ...hello, newMessage });
    expect(second.invocationId).not.toBe(first.invocationId);
    expect(second.events[0]?.author).toBe('asking');
  });

  it.each<[string, Tool]>([
    ['needs a confirmation', toolOf('pay', () => 'paid', { requireConfirmation: true })],
    ['requests input', toolOf('pay', (_args, context) => context.requestInput({ message: 'Which account?' }))],
  ])('answers a call that %s with an error', async (_, tool) => {
    const { runnerOf, events } = await createDurableStore();
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Sorry.'));
    const runner = runnerOf(rootOf(model, { tools: [tool] }), { resumability: { isResumable: false } });
    expect(await runner.runToCompletion(hello)).toMatchObject({ status: 'completed', text: 'Sorry.' });
    expect(answersIn(await events())).toEqual([['pay', { error: expect.stringContaining('cannot pause') }]]);
  });
});
