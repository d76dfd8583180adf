import { getFunctionCalls } from '@thole/core';
import type { Agent, Event, InvocationContext } from '@thole/core';
import { InMemoryArtifactService } from '@thole/mem-services';
import { calls, says as answers, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { LoopAgent } from '../../src/agents/loop-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { answersIn, toolOf } from '../support/llm-setup.ts';
import { agentOf, hello, createSetup, says, textsIn } from '../support/setup.ts';

/** Returns an LLM agent that calls a tool and then answers. */
const worker = (name: string, runs: string[] = []): LlmAgent =>
  new LlmAgent({
    name,
    model: new ScriptedLlm(calls('work'), answers(`${name} is done.`)),
    tools: [toolOf('work', (_, { state }) => (state.set(name, 1), runs.push(name), 'worked'))],
  });

/** Returns a custom agent like the examples of ADK: it runs `sub` and yields the events that `keep` returns. */
function createWrapper(name: string, sub: Agent, keep: (event: Event) => Event | undefined = (event) => event): Agent {
  return agentOf(
    name,
    async function* (context: InvocationContext) {
      for await (const event of context.runAgent(sub)) {
        const kept = keep(event);
        if (kept) yield kept;
      }
    },
    { subAgents: [sub] },
  );
}

describe('A custom agent with an invalid runAsync', () => {
  it.each<[string, Agent['runAsync'], string]>([
    ['returns a promise', (async () => 5) as never, 'The result of runAsync of agent root must be an async generator'],
    [
      'returns a rejected promise',
      (async () => Promise.reject(new Error('boom'))) as never,
      'The result of runAsync of agent root must be an async generator',
    ],
    [
      'returns a generator that is not async',
      function* () {} as never,
      'The result of runAsync of agent root must be an async generator',
    ],
    ['returns nothing', (() => undefined) as never, 'The result of runAsync of agent root must be an async generator'],
    [
      'yields undefined',
      async function* () {
        yield undefined;
      } as never,
      'An event of agent root must be an object',
    ],
    [
      'yields a text',
      async function* () {
        yield 'Hi.';
      } as never,
      'An event of agent root must be an object',
    ],
  ])('ends the run with INVALID_INPUT if it %s', async (_, runAsync, message) => {
    const { runner } = await createSetup({ name: 'root', runAsync });
    await expect(runner.runToCompletion(hello)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message),
    });
  });
});

/** Replaces `runAsync` of an agent by a `for await` loop over it, like a subclass. */
function withOverride<A extends Agent>(agent: A): A {
  const steps = agent.runAsync.bind(agent) as (context: InvocationContext) => AsyncIterable<Event>;
  agent.runAsync = async function* (context) {
    for await (const event of steps(context)) yield event;
  };
  return agent;
}

describe('A for await loop around runAsync of an agent', () => {
  it.each([
    ['an LLM agent', () => withOverride(worker('a'))],
    [
      'a SequentialAgent',
      () => withOverride(new SequentialAgent({ name: 's', subAgents: [worker('a'), worker('b')] })),
    ],
    ['a ParallelAgent', () => withOverride(new ParallelAgent({ name: 'p', subAgents: [worker('a')] }))],
    ['a LoopAgent', () => withOverride(new LoopAgent({ name: 'l', maxIterations: 1, subAgents: [worker('a')] }))],
  ])('does not change how %s works', async (_, create) => {
    const { runner } = await createSetup(create());
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)[0]).toEqual(['work', { result: 'worked' }]);
    expect(textsIn(events)).toContain('a is done.');
  });
});

describe('context.runAgent in a for await loop', () => {
  it.each([
    ['an LLM agent', () => worker('a')],
    ['a custom agent', () => createWrapper('middle', worker('a'))],
    ['a SequentialAgent', () => new SequentialAgent({ name: 's', subAgents: [worker('a'), worker('b')] })],
    ['a ParallelAgent', () => new ParallelAgent({ name: 'p', subAgents: [worker('a'), worker('b')] })],
    ['a LoopAgent', () => new LoopAgent({ name: 'l', maxIterations: 1, subAgents: [worker('a')] })],
    [
      'a sequence of custom agents',
      () => new SequentialAgent({ name: 's', subAgents: [createWrapper('m', worker('a'))] }),
    ],
  ])('works like yield* over %s (contract 16)', async (_, create) => {
    const byLoop = await createSetup(createWrapper('root', create()));
    const events = await Array.fromAsync(byLoop.runner.runAsync(hello));
    const delegated = create();
    const byYield = await createSetup(
      agentOf('root', (context) => context.runAgent(delegated) as AsyncGenerator<Event, void, Event>, {
        subAgents: [delegated],
      }),
    );
    const expected = await Array.fromAsync(byYield.runner.runAsync(hello));
    expect(textsIn(events)).toEqual(textsIn(expected));
    expect(answersIn(events)).toEqual(answersIn(expected));
    expect((await byLoop.stored()).state).toEqual((await byYield.stored()).state);
  });

  it('continues from the stored event, so that a redacted call runs redacted (contract 16)', async () => {
    const seen: unknown[] = [];
    const agent = new LlmAgent({
      name: 'a',
      model: new ScriptedLlm(calls('work', { secret: 'x' }), answers('Done.')),
      tools: [toolOf('work', (args) => void seen.push(args))],
    });
    const redact = {
      name: 'redact',
      onEventCallback: ({ event }: { event: Event }) =>
        JSON.parse(JSON.stringify(event).replaceAll('"x"', '"#"')) as Event,
    };
    const { runner } = await createSetup(createWrapper('root', agent), { plugins: [redact] });
    await runner.runToCompletion(hello);
    expect(seen).toEqual([{ secret: '#' }]);
  });

  it('stores the event as the custom agent changed it, and continues from it', async () => {
    const seen: unknown[] = [];
    const agent = agentOf('a', async function* (context) {
      const stored = yield says(context, 'one');
      seen.push(textsIn([stored]), stored.seq);
    });
    const shouting = createWrapper('root', agent, (event) => ({ ...event, content: { parts: [{ text: 'ONE' }] } }));
    const { runner, stored } = await createSetup(shouting);
    await runner.runToCompletion(hello);
    expect(seen).toEqual([['ONE'], 2]);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'ONE']);
  });

  it('treats events that are not yielded like events that a plugin drops', async () => {
    const runs: string[] = [];
    const filter = createWrapper('root', worker('a', runs), (event) =>
      getFunctionCalls(event).length > 0 ? undefined : event,
    );
    const { runner, stored } = await createSetup(filter);
    await runner.runToCompletion(hello);
    expect(runs).toEqual([]);
    expect(textsIn((await stored()).events)).toEqual(['hello']);
  });

  it('keeps state changes of an event that is not yielded for the next event (contract 21)', async () => {
    const agent = agentOf(
      'a',
      async function* (context) {
        yield says(context, 'hidden');
        yield says(context, 'shown');
      },
      { beforeAgentCallback: ({ state }) => state.set('k', 1) },
    );
    const filter = createWrapper('root', agent, (event) => (textsIn([event])[0] === 'hidden' ? undefined : event));
    const { runner, stored } = await createSetup(filter);
    await runner.runToCompletion(hello);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'shown']);
    expect((await stored()).state).toEqual({ k: 1 });
  });

  it('keeps file versions of an event that is not yielded for the next event (contract 21)', async () => {
    const agent = agentOf('a', async function* (context) {
      await context.saveArtifact('a.txt', { text: 'A' });
      yield says(context, 'hidden');
      await context.saveArtifact('b.txt', { text: 'B' });
      yield says(context, 'shown');
    });
    const filter = createWrapper('root', agent, (event) => (textsIn([event])[0] === 'hidden' ? undefined : event));
    const { runner, stored } = await createSetup(filter, { artifactService: new InMemoryArtifactService() });
    await runner.runToCompletion(hello);
    expect((await stored()).events.at(-1)!.actions.artifactDelta).toEqual({ 'a.txt': 0, 'b.txt': 0 });
  });

  it('passes partial events', async () => {
    const agent = new LlmAgent({ name: 'a', model: new ScriptedLlm(streams('Hel', 'lo')) });
    const { runner } = await createSetup(createWrapper('root', agent));
    const run = runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } });
    expect(textsIn(await Array.fromAsync(run))).toEqual(['Hel', 'lo', 'Hello']);
  });

  it('works if events are collected first and yielded later', async () => {
    const sub = new SequentialAgent({
      name: 's',
      subAgents: [
        agentOf('a', async function* (context) {
          yield says(context, 'one');
          yield says(context, 'two');
        }),
      ],
    });
    const root = agentOf(
      'root',
      async function* (context) {
        yield* await Array.fromAsync(context.runAgent(sub));
      },
      { subAgents: [sub] },
    );
    const { runner, stored } = await createSetup(root);
    await runner.runToCompletion(hello);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'two']);
  });

  it('ends the inner agent when the loop is left', async () => {
    let isClosed = false;
    const endless = agentOf('a', async function* (context) {
      try {
        for (;;) yield says(context, 'more');
      } finally {
        isClosed = true;
      }
    });
    const root = agentOf('root', async function* (context) {
      for await (const event of context.runAgent(endless)) {
        yield event;
        break;
      }
      yield says(context, 'enough');
    });
    const { runner } = await createSetup(root);
    expect(textsIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual(['more', 'enough']);
    expect(isClosed).toBe(true);
  });
});
