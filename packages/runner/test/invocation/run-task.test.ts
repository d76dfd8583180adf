import { getFunctionCalls, isFinalResponse } from '@thole/core';
import type { Agent, Event, LlmRequest } from '@thole/core';
import { calls, says as answers, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { LoopAgent } from '../../src/agents/loop-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import type { Run } from '../../src/runner/run.ts';
import { answersIn, toolOf } from '../support/llm-house.ts';
import { agentOf, hello, houseOf, says, settle, textsIn } from '../support/runs.ts';

async function readToFinal(run: Run): Promise<Event | undefined> {
  for await (const event of run) if (isFinalResponse(event)) return event;
  return undefined;
}

const speaker = (name: string, ...texts: string[]): LlmAgent =>
  new LlmAgent({ name, model: new ScriptedLlm(...texts.map((text) => answers(text))) });

describe('leaving a run at a final response', () => {
  it('lets the agent end: afterAgentCallback runs, and nothing is recorded (contract 23)', async () => {
    const order: string[] = [];
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(answers('Hello.'), answers('Again.')),
      afterAgentCallback: ({ state }) => (order.push('afterAgent'), state.set('k', 1)),
    });
    const plugin = { name: 'p', afterRunCallback: () => void order.push('afterRun') };
    const { runner, stored } = await houseOf(agent, { plugins: [plugin] });
    expect(textsIn([(await readToFinal(runner.runAsync(hello)))!])).toEqual(['Hello.']);
    expect(order).toEqual(['afterAgent', 'afterRun']);
    expect((await stored()).events.filter(({ errorCode }) => errorCode !== undefined)).toEqual([]);
    expect((await stored()).state).toEqual({ k: 1 });
    expect((await runner.runToCompletion(hello)).text).toBe('Again.');
  });

  it('stores what afterAgentCallback adds, though nobody reads it', async () => {
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(answers('Hello.')),
      afterAgentCallback: () => ({ parts: [{ text: 'And goodbye.' }] }),
    });
    const { runner, stored } = await houseOf(agent);
    await readToFinal(runner.runAsync(hello));
    expect(textsIn((await stored()).events)).toEqual(['hello', 'Hello.', 'And goodbye.']);
  });

  it.each<[string, () => Agent]>([
    [
      'another agent of a sequence',
      () => new SequentialAgent({ name: 'root', subAgents: [speaker('a', '1'), speaker('b', '2')] }),
    ],
    ['another round of a loop', () => new LoopAgent({ name: 'root', subAgents: [speaker('a', '1', '2')] })],
    [
      'a model call',
      () =>
        agentOf('root', async function* (context) {
          yield says(context, '1');
          context.countLlmCall();
          yield says(context, '2');
        }),
    ],
    [
      'an agent in a session of its own',
      () =>
        agentOf('root', async function* (context) {
          yield says(context, '1');
          yield* context.runChild({ agent: speaker('a', '2'), message: 'Go on.' });
        }),
    ],
  ])('ends with RUN_LEFT where %s is asked for (contract 23)', async (_, make) => {
    const { runner, stored } = await houseOf(make());
    await readToFinal(runner.runAsync(hello));
    expect(textsIn((await stored()).events)).toEqual(['hello', '1', '(RUN_LEFT)']);
  });

  it('ends with RUN_LEFT where a tool is asked for: long-running calls are final, and no tool runs', async () => {
    let runs = 0;
    const tool = toolOf('approve', () => void runs++, { isLongRunning: true });
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(calls('approve')), tools: [tool] });
    const { runner, stored } = await houseOf(agent);
    const last = await readToFinal(runner.runAsync(hello));
    expect(getFunctionCalls(last!)).toHaveLength(1);
    expect(runs).toBe(0);
    expect((await stored()).events.at(-1)).toMatchObject({ errorCode: 'RUN_LEFT' });
    expect(answersIn((await stored()).events)).toEqual([]);
  });

  it('ends with RUN_LEFT at once where another branch waits for its model', async () => {
    let signal: AbortSignal | undefined;
    const waiting = new ScriptedLlm((_request: LlmRequest, options) => {
      signal = options.signal;
      return new Promise(() => {});
    });
    const subAgents = [speaker('a', '1'), new LlmAgent({ name: 'b', model: waiting })];
    const { runner, stored } = await houseOf(new ParallelAgent({ name: 'root', subAgents }));
    await readToFinal(runner.runAsync(hello));
    expect(signal?.aborted).toBe(true);
    expect((await stored()).events.at(-1)).toMatchObject({ errorCode: 'RUN_LEFT' });
  });

  it('ends with RUN_LEFT after half of cleanupMs where the agent does not end', async () => {
    const agent = agentOf('root', async function* (context) {
      yield says(context, '1');
      await new Promise(() => {});
    });
    const { runner, stored, runtime } = await houseOf(agent);
    const run = runner.runAsync({ ...hello, runConfig: { cleanupMs: 1_000 } });
    await run.next();
    const leaving = run.return!();
    await runtime.advance(499);
    expect(textsIn((await stored()).events)).toEqual(['hello', '1']);
    await runtime.advance(1);
    await leaving;
    expect(textsIn((await stored()).events)).toEqual(['hello', '1', '(RUN_LEFT)']);
  });

  it('still records RUN_LEFT where the reader leaves before a final response', async () => {
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(calls('work'), answers('Done.')),
      tools: [toolOf('work', () => 'worked')],
    });
    const { runner, stored } = await houseOf(agent);
    for await (const event of runner.runAsync(hello)) if (getFunctionCalls(event).length > 0) break;
    expect((await stored()).events.at(-1)).toMatchObject({ errorCode: 'RUN_LEFT' });
  });

  it('lets a detached run end as well', async () => {
    const order: string[] = [];
    const agent = new LlmAgent({
      name: 'root',
      model: new ScriptedLlm(answers('Hello.')),
      afterAgentCallback: async () => (await settle(), void order.push('afterAgent')),
    });
    const { runner, stored } = await houseOf(agent);
    await readToFinal(runner.runAsync({ ...hello, runConfig: { reader: 'detached' } }));
    expect(order).toEqual(['afterAgent']);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'Hello.']);
  });
});
