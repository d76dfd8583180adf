import { getFunctionCalls, getFunctionResponses, isFinalResponse } from '@thole/core';
import type { Agent, Event, Llm, LlmRequest, ToolContext } from '@thole/core';
import { calls, callsAll, fails, hangs, ignores, says as answers, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { LoopAgent } from '../../src/agents/loop-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import type { Run } from '../../src/runner/run.ts';
import { answersIn, toolOf } from '../support/llm-setup.ts';
import {
  agentOf,
  agentWith,
  countedTool,
  createSetup,
  expectNextTurn,
  hello,
  readingOf,
  says,
  settle,
  textsIn,
} from '../support/setup.ts';

async function readToFinal(run: Run): Promise<Event | undefined> {
  for await (const event of run) if (isFinalResponse(event)) return event;
  return undefined;
}

const speaker = (name: string, ...texts: string[]): LlmAgent =>
  new LlmAgent({ name, model: new ScriptedLlm(...texts.map((text) => answers(text))) });

describe('RunTask', () => {
  it('runs no tool and stores RUN_LEFT after a break at a call (contract 23)', async () => {
    const lookup = countedTool('lookup', async () => 'found');
    const model = new ScriptedLlm(calls('lookup'), answers('fine'));
    const setup = await createSetup(agentWith(model, lookup));
    for await (const event of setup.runner.runAsync(hello)) if (getFunctionCalls(event).length > 0) break;
    expect(lookup.runs).toBe(0);
    expect((await setup.stored()).events.at(-1)).toMatchObject({ author: 'root', errorCode: 'RUN_LEFT' });
    await expectNextTurn(setup);
  });

  it('keeps finished tool answers and cancels the others after a break (contract 23)', async () => {
    let isAborted = false;
    const quick = countedTool('quick', async () => 'done');
    const slow = countedTool(
      'slow',
      ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => ((isAborted = true), reject(signal.reason as Error))),
        ),
    );
    const setup = await createSetup(
      agentWith(new ScriptedLlm(callsAll(['quick'], ['slow']), answers('fine')), quick, slow),
    );
    for await (const event of setup.runner.runAsync(hello)) if (getFunctionResponses(event).length > 0) break;
    expect(isAborted).toBe(true);
    const responses = (await setup.stored()).events.flatMap(getFunctionResponses);
    expect(responses).toMatchObject([
      { name: 'quick', response: { result: 'done' } },
      { name: 'slow', response: { error: expect.stringMatching(/cancel/i) } },
    ]);
    await expectNextTurn(setup);
  });

  it('resolves return() without waiting for the model or for next() (contract 23)', async () => {
    const setup = await createSetup(agentWith(new ScriptedLlm(ignores(), answers('fine'))));
    const run = setup.runner.runAsync(hello);
    const pending = run.next();
    await settle();
    await run.return?.();
    expect(await pending).toEqual({ value: undefined, done: true });
    await expectNextTurn(setup);
  });

  it.each([
    ['obeys', hangs()],
    ['ignores', ignores()],
  ])('ends at abortSignal if the model %s its signal, and stores no late answer (contract 23)', async (_, answer) => {
    const setup = await createSetup(agentWith(new ScriptedLlm(answer, answers('fine'))));
    const controller = new AbortController();
    const reading = Array.fromAsync(setup.runner.runAsync({ ...hello, abortSignal: controller.signal }));
    await settle();
    controller.abort('enough');
    await expect(reading).rejects.toMatchObject({ code: 'RUN_ABORTED', cause: 'enough' });
    expect(textsIn((await setup.stored()).events)).toEqual(['hello', '(RUN_ABORTED)']);
    await expectNextTurn(setup);
  });

  it.each([true, false])(
    'continues no agent after abort(), after an event with partial: %s (contract 23)',
    async (partial) => {
      let continued = 0;
      const agent = agentOf('root', async function* (context) {
        yield says(context, 'One', { partial });
        continued++;
        yield says(context, 'Two.');
      });
      const { runner } = await createSetup(agent);
      const run = runner.runAsync(hello);
      await run.next();
      const next = run.next();
      run.abort();
      expect((await next).value).toMatchObject({ errorCode: 'RUN_ABORTED' });
      await expect(run.next()).rejects.toMatchObject({ code: 'RUN_ABORTED' });
      expect(continued).toBe(0);
    },
  );

  it('ends with RUN_ABORTED after cancel() of another runner (contract 23)', async () => {
    const setup = await createSetup(agentWith(new ScriptedLlm(hangs(), answers('fine'))));
    const { events, reading } = readingOf(setup.runner);
    await settle();
    expect(await setup.newRunner().cancel({ userId: 'ann', sessionId: 's', invocationId: 'another' })).toBe(false);
    expect(await setup.newRunner().cancel({ userId: 'ann', sessionId: 's' })).toBe(true);
    await expect(reading).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(events.at(-1)).toMatchObject({ errorCode: 'RUN_ABORTED' });
    expect(await setup.runner.cancel({ userId: 'ann', sessionId: 's' })).toBe(false);
    await expectNextTurn(setup);
  });

  it('ends with RUN_ABANDONED if the reader stops, and never begins without one (contract 23)', async () => {
    const setup = await createSetup(agentWith(new ScriptedLlm(answers('one'), answers('fine'))));
    const unread = setup.runner.runAsync(hello);
    const run = setup.runner.runAsync({ ...hello, runConfig: { idleLimitMs: 1_000 } });
    await run.next();
    await setup.runtime.advance(999);
    expect((await setup.stored()).events).toHaveLength(2);
    await setup.runtime.advance(2);
    await run.done;
    expect((await setup.stored()).events.at(-1)).toMatchObject({ errorCode: 'RUN_ABANDONED' });
    await expectNextTurn(setup);
    await unread.return?.();
    expect((await setup.stored()).events.filter(({ author }) => author === 'user')).toHaveLength(2);
  });

  it('stores tool answers as soon as they are ready, and yields them in this order (contract 18)', async () => {
    const gates = new Map<string, () => void>();
    const tools = ['a', 'b', 'c'].map((name) =>
      countedTool(name, () => new Promise((resolve) => gates.set(name, () => resolve(name)))),
    );
    const setup = await createSetup(
      agentWith(new ScriptedLlm(callsAll(['a'], ['b'], ['c']), answers('fine')), ...tools),
    );
    const run = setup.runner.runAsync(hello);
    await run.next();
    const second = run.next();
    await settle();
    for (const name of ['c', 'a', 'b']) {
      gates.get(name)!();
      await settle();
    }
    const stored = (await setup.stored()).events.flatMap(getFunctionResponses).map(({ name }) => name);
    expect(stored).toEqual(['c', 'a', 'b']);
    const read = [(await second).value as Event, (await run.next()).value as Event, (await run.next()).value as Event];
    expect(read.flatMap(getFunctionResponses).map(({ name }) => name)).toEqual(['c', 'a', 'b']);
    expect(textsIn([(await run.next()).value as Event])).toEqual(['fine']);
    expect((await run.next()).done).toBe(true);
  });

  it('answers a call at toolTimeoutMs and closes its context (contracts 18, 23)', async () => {
    let late: ToolContext | undefined;
    const stuck = countedTool('stuck', (context) => ((late = context), new Promise(() => {})));
    const setup = await createSetup(agentWith(new ScriptedLlm(calls('stuck'), answers('fine')), stuck));
    const completed = setup.runner.runToCompletion({ ...hello, runConfig: { toolTimeoutMs: 100 } });
    await settle();
    await setup.runtime.advance(101);
    expect((await completed).text).toBe('fine');
    expect((await setup.stored()).events.flatMap(getFunctionResponses)).toMatchObject([
      { response: { error: expect.stringContaining('100 ms') } },
    ]);
    expect(() => late!.state.set('x', 1)).toThrow(expect.objectContaining({ code: 'CONTEXT_CLOSED' }));
  });

  it('yields but does not store the partial events of a stream that fails (contract 22)', async () => {
    const breaking: Llm = {
      model: 'breaking',
      specVersion: 1,
      async *generateContentAsync() {
        yield* streams('Hel', 'lo').slice(0, 2);
        throw fails('MODEL_UNAVAILABLE');
      },
    };
    const setup = await createSetup(agentWith(breaking));
    const { events, reading } = readingOf(setup.runner, { runConfig: { streamingMode: 'sse' } });
    await expect(reading).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(textsIn(events)).toEqual(['Hel', 'lo', '(MODEL_UNAVAILABLE)']);
    expect(textsIn((await setup.stored()).events)).toEqual(['hello', '(MODEL_UNAVAILABLE)']);
  });
});

describe('RunTask.leave at a final response', () => {
  it('completes the agent with its hooks, without a closing record (contract 23)', async () => {
    const order: string[] = [];
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(answers('Hello.'), answers('Again.')),
      afterAgentCallback: ({ state }) => (order.push('afterAgent'), state.set('k', 1)),
    });
    const plugin = { name: 'p', afterRunCallback: () => void order.push('afterRun') };
    const { runner, stored } = await createSetup(agent, { plugins: [plugin] });
    expect(textsIn([(await readToFinal(runner.runAsync(hello)))!])).toEqual(['Hello.']);
    expect(order).toEqual(['afterAgent', 'afterRun']);
    expect((await stored()).events.filter(({ errorCode }) => errorCode !== undefined)).toEqual([]);
    expect((await stored()).state).toEqual({ k: 1 });
    expect((await runner.runToCompletion(hello)).text).toBe('Again.');
  });

  it('stores the content of afterAgentCallback', async () => {
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(answers('Hello.')),
      afterAgentCallback: () => ({ parts: [{ text: 'And goodbye.' }] }),
    });
    const { runner, stored } = await createSetup(agent);
    await readToFinal(runner.runAsync(hello));
    expect(textsIn((await stored()).events)).toEqual(['hello', 'Hello.', 'And goodbye.']);
  });

  it.each<[string, () => Agent]>([
    [
      'begins another agent of a sequence',
      () => new SequentialAgent({ name: 'root', subAgents: [speaker('a', '1'), speaker('b', '2')] }),
    ],
    ['begins another round of a loop', () => new LoopAgent({ name: 'root', subAgents: [speaker('a', '1', '2')] })],
    [
      'calls a model',
      () =>
        agentOf('root', async function* (context) {
          yield says(context, '1');
          context.countLlmCall();
          yield says(context, '2');
        }),
    ],
    [
      'begins a child run',
      () =>
        agentOf('root', async function* (context) {
          yield says(context, '1');
          yield* context.runChild({ agent: speaker('a', '2'), message: 'Go on.' });
        }),
    ],
  ])('ends with RUN_LEFT if the run %s (contract 23)', async (_, create) => {
    const { runner, stored } = await createSetup(create());
    await readToFinal(runner.runAsync(hello));
    expect(textsIn((await stored()).events)).toEqual(['hello', '1', '(RUN_LEFT)']);
  });

  it('ends with RUN_LEFT before a tool runs: an event with a long-running call is final', async () => {
    let runs = 0;
    const tool = toolOf('approve', () => void runs++, { isLongRunning: true });
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(calls('approve')), tools: [tool] });
    const { runner, stored } = await createSetup(agent);
    const last = await readToFinal(runner.runAsync(hello));
    expect(getFunctionCalls(last!)).toHaveLength(1);
    expect(runs).toBe(0);
    expect((await stored()).events.at(-1)).toMatchObject({ errorCode: 'RUN_LEFT' });
    expect(answersIn((await stored()).events)).toEqual([]);
  });

  it('ends with RUN_LEFT at once if another branch waits for its model', async () => {
    let signal: AbortSignal | undefined;
    const waiting = new ScriptedLlm((_request: LlmRequest, options) => {
      signal = options.signal;
      return new Promise(() => {});
    });
    const subAgents = [speaker('a', '1'), new LlmAgent({ name: 'b', model: waiting })];
    const { runner, stored } = await createSetup(new ParallelAgent({ name: 'root', subAgents }));
    await readToFinal(runner.runAsync(hello));
    expect(signal?.aborted).toBe(true);
    expect((await stored()).events.at(-1)).toMatchObject({ errorCode: 'RUN_LEFT' });
  });

  it('ends with RUN_LEFT after half of cleanupMs if the agent does not end', async () => {
    const agent = agentOf('root', async function* (context) {
      yield says(context, '1');
      await new Promise(() => {});
    });
    const { runner, stored, runtime } = await createSetup(agent);
    const run = runner.runAsync({ ...hello, runConfig: { cleanupMs: 1_000 } });
    await run.next();
    const leaving = run.return!();
    await runtime.advance(499);
    expect(textsIn((await stored()).events)).toEqual(['hello', '1']);
    await runtime.advance(1);
    await leaving;
    expect(textsIn((await stored()).events)).toEqual(['hello', '1', '(RUN_LEFT)']);
  });

  it('stores RUN_LEFT if the reader leaves before a final response', async () => {
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(calls('work'), answers('Done.')),
      tools: [toolOf('work', () => 'worked')],
    });
    const { runner, stored } = await createSetup(agent);
    for await (const event of runner.runAsync(hello)) if (getFunctionCalls(event).length > 0) break;
    expect((await stored()).events.at(-1)).toMatchObject({ errorCode: 'RUN_LEFT' });
  });

  it('completes a detached run, too', async () => {
    const order: string[] = [];
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(answers('Hello.')),
      afterAgentCallback: async () => (await settle(), void order.push('afterAgent')),
    });
    const { runner, stored } = await createSetup(agent);
    await readToFinal(runner.runAsync({ ...hello, runConfig: { reader: 'detached' } }));
    expect(order).toEqual(['afterAgent']);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'Hello.']);
  });
});
