import { createEvent, systemRuntime } from '@thole/core';
import type { Agent, Event, InvocationContext, Llm } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { LoopAgent } from '../../src/agents/loop-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { hello, createSetup, outcomeOf, toolOf } from '../support/llm-setup.ts';

const agentOf = (
  name: string,
  runAsync: (context: InvocationContext) => AsyncGenerator<Event, void, Event>,
): Agent => ({
  name,
  runAsync,
});

const eventOf = ({ agentName, invocationId, runtime }: InvocationContext): Event =>
  createEvent({ author: agentName, invocationId, content: { role: 'model', parts: [{ text: 'x' }] } }, runtime);

const endless = agentOf('root', async function* (context) {
  for (;;) yield eventOf(context);
});

/** Returns a runner with the real clock, because the tests check that timers fire during the run. */
function realRunner(agent: Agent): Runner {
  const sessionService = new InMemorySessionService();
  return new Runner({ appName: 'app', agent, sessionService, runtime: systemRuntime(), autoCreateSession: true });
}

describe('A run that never waits', () => {
  it.each([
    ['a custom agent that yields for ever', endless],
    [
      'a custom agent that runs silent agents for ever',
      agentOf('root', async function* (context) {
        const silent = agentOf('silent', async function* () {});
        for (;;) yield* context.runAgent(silent);
      }),
    ],
    [
      'a LoopAgent within maxIterations',
      new LoopAgent({
        name: 'root',
        subAgents: [
          agentOf('a', async function* (context) {
            for (let i = 0; i < 1_000; i++) yield eventOf(context);
          }),
        ],
      }),
    ],
  ])('ends at timeLimitMs in %s', async (_, agent) => {
    let fired = 0;
    const interval = setInterval(() => fired++, 10);
    const { error } = await outcomeOf(realRunner(agent).runAsync({ ...hello, runConfig: { timeLimitMs: 1_000 } }));
    clearInterval(interval);
    expect(error?.code).toBe('RUN_TIME_LIMIT');
    expect(fired).toBeGreaterThan(1);
  });

  it('ends after an abort by a timer', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const { error } = await outcomeOf(realRunner(endless).runAsync({ ...hello, abortSignal: controller.signal }));
    expect(error?.code).toBe('RUN_ABORTED');
  });
});

describe('LOOP_LIMIT', () => {
  const loopOf = (...subAgents: Agent[]): LoopAgent => new LoopAgent({ name: 'root', subAgents });

  it.each([
    [
      'agents that answer at once',
      agentOf('a', async function* (context) {
        yield eventOf(context);
      }),
    ],
    ['agents without events', agentOf('a', async function* () {})],
    [
      'a beforeModelCallback that answers instead of the model',
      new LlmAgent({ name: 'a', model: new ScriptedLlm(), beforeModelCallback: () => says('Cached.') }),
    ],
  ])('ends a loop of %s after 1,000 rounds, and names the loop', async (_, agent) => {
    let rounds = 0;
    const counted = agentOf('counted', async function* (context) {
      rounds++;
      yield* context.runAgent(agent);
    });
    const { runner, stored } = await createSetup(loopOf(counted));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'LOOP_LIMIT', message: expect.stringContaining('Agent root') });
    expect(rounds).toBe(1_000);
    expect((await stored()).events.at(-1)).toMatchObject({ author: 'root', errorCode: 'LOOP_LIMIT' });
  });

  it('ends a loop with the real clock, although the run yields to the event loop', async () => {
    const slow = agentOf('slow', async function* (context) {
      const until = performance.now() + 0.2;
      while (performance.now() < until);
      yield eventOf(context);
    });
    const { error } = await outcomeOf(realRunner(loopOf(slow)).runAsync(hello));
    expect(error?.code).toBe('LOOP_LIMIT');
  });

  it('does not count rounds with a model call, which maxLlmCalls limits (contract 19)', async () => {
    let requests = 0;
    // Unlike ScriptedLlm, it does not copy the requests, which become longer with each round.
    const model: Llm = {
      ...{ specVersion: 1, model: 'm' },
      async *generateContentAsync() {
        requests++;
        yield says('x');
      },
    };
    const { runner } = await createSetup(loopOf(new LlmAgent({ name: 'a', model })));
    const { error } = await outcomeOf(runner.runAsync({ ...hello, runConfig: { maxLlmCalls: 1_100 } }));
    expect(error?.code).toBe('LLM_CALL_LIMIT');
    expect(requests).toBe(1_100);
  });

  it('does not count rounds with a wait', async () => {
    let rounds = 0;
    const waiting = agentOf('a', async function* (context) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      const event = eventOf(context);
      yield ++rounds < 1_100 ? event : { ...event, actions: { ...event.actions, escalate: true } };
    });
    const { error } = await outcomeOf(realRunner(loopOf(waiting)).runAsync(hello));
    expect([error, rounds]).toEqual([undefined, 1_100]);
  });

  it('counts the calls of agents in tools as model calls', async () => {
    let rounds = 0;
    const inner = new LlmAgent({
      name: 'inner',
      model: new ScriptedLlm(...Array.from({ length: 1_100 }, () => says('x'))),
    });
    const outer = agentOf('outer', async function* (context) {
      for await (const _ of context.runChild({ agent: inner, message: 'Go.' }));
      const event = eventOf(context);
      yield ++rounds < 1_100 ? event : { ...event, actions: { ...event.actions, escalate: true } };
    });
    const { runner } = await createSetup(loopOf(outer));
    const { error } = await outcomeOf(runner.runAsync({ ...hello, runConfig: { maxLlmCalls: 2_000 } }));
    expect([error, rounds]).toEqual([undefined, 1_100]);
  });
});

describe('A chain of transfers', () => {
  it('may be longer than the call stack', async () => {
    const length = 1_100;
    let transfers = 0;
    let ended = 0;
    const agentNamed = (name: string, next: string, subAgents: Agent[] = []): LlmAgent =>
      new LlmAgent({
        name,
        subAgents,
        model: new ScriptedLlm(),
        beforeModelCallback: () => (transfers < length ? calls('go') : says('Here.')),
        tools: [toolOf('go', (_, { actions }) => void (transfers++, (actions.transferToAgent = next)))],
        afterAgentCallback: () => void ended++,
      });
    const { runner } = await createSetup(agentNamed('root', 'a', [agentNamed('a', 'b'), agentNamed('b', 'a')]));
    expect((await runner.runToCompletion(hello)).text).toBe('Here.');
    expect([transfers, ended]).toEqual([length, length + 1]);
  });
});
