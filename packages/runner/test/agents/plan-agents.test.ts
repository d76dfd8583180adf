import { createEvent, createEventActions } from '@thole/core';
import type { Agent, Event, InvocationContext } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { LoopAgent } from '../../src/agents/loop-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { answersIn, hello, createSetup, outcomeOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';

function agentOf(name: string, steps: (context: InvocationContext) => AsyncGenerator<Event, void, Event>): Agent {
  return { name, runAsync: steps };
}

function eventOf(
  { agentName, invocationId, runtime }: InvocationContext,
  text: string,
  more: Partial<Event> = {},
): Event {
  return createEvent(
    { author: agentName, invocationId, content: { role: 'model', parts: [{ text }] }, ...more },
    runtime,
  );
}

const saying = (name: string, ...texts: string[]): Agent =>
  agentOf(name, async function* (context) {
    for (const text of texts) yield eventOf(context, text);
  });

const failing = (name: string): Agent =>
  agentOf(name, async function* () {
    throw new Error(`${name} is broken`);
  });

const escalating = (name: string): Agent =>
  agentOf(name, async function* (context) {
    const event = eventOf(context, 'enough');
    yield { ...event, actions: { ...event.actions, escalate: true } };
  });

const waiting = (name: string): LlmAgent =>
  new LlmAgent({
    name,
    model: new ScriptedLlm(calls('approve', {}, 'c1')),
    tools: [toolOf('approve', () => ({ status: 'asked' }), { isLongRunning: true })],
  });

describe('SequentialAgent', () => {
  it('runs its agents in order; each sees the results of earlier agents (F225)', async () => {
    const last = new ScriptedLlm(says('Both, then.'));
    const subAgents = [
      new LlmAgent({ name: 'one', model: new ScriptedLlm(says('First.')), outputKey: 'said' }),
      new LlmAgent({ name: 'two', model: last, instruction: 'You know {said}' }),
    ];
    const { runner } = await createSetup(new SequentialAgent({ name: 'root', subAgents }));
    expect(textsIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual(['one: First.', 'two: Both, then.']);
    expect(last.requests[0]!.config.systemInstruction).toContain('You know First.');
  });

  it('does not continue after an agent that failed', async () => {
    const { runner } = await createSetup(
      new SequentialAgent({ name: 'root', subAgents: [saying('a', '1'), failing('b'), saying('c', '3')] }),
    );
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error?.code).toBe('AGENT_FAILED');
    expect(textsIn(events)).toEqual(['a: 1', 'b: AGENT_FAILED']);
  });

  it('does not continue after an agent with an open long-running call (contract 28)', async () => {
    const { runner } = await createSetup(
      new SequentialAgent({ name: 'root', subAgents: [waiting('a'), saying('b', '2')] }),
    );
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(new Set(events.map(({ author }) => author))).toEqual(new Set(['a']));
  });

  it('does not continue after endInvocation()', async () => {
    const ending = agentOf('a', async function* (context) {
      yield eventOf(context, 'bye');
      context.endInvocation();
    });
    const { runner } = await createSetup(new SequentialAgent({ name: 'root', subAgents: [ending, saying('b', '2')] }));
    expect(textsIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual(['a: bye']);
  });
});

describe('LoopAgent', () => {
  it('runs its agents maxIterations times', async () => {
    const { runner } = await createSetup(
      new LoopAgent({ name: 'root', maxIterations: 2, subAgents: [saying('a', '1'), saying('b', '2')] }),
    );
    expect(textsIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual(['a: 1', 'b: 2', 'a: 1', 'b: 2']);
  });

  it('ends with the agent whose event escalates; later agents do not run', async () => {
    const { runner } = await createSetup(
      new LoopAgent({ name: 'root', subAgents: [saying('a', '1'), escalating('b'), saying('c', '3')] }),
    );
    expect(textsIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual(['a: 1', 'b: enough']);
  });

  it('ends with the agent that escalates, also if it yields more events', async () => {
    const subAgents = [
      agentOf('a', async function* (context) {
        yield eventOf(context, '1', { actions: createEventActions({ escalate: true }) });
        yield eventOf(context, '2');
      }),
      saying('b', '3'),
    ];
    const { runner } = await createSetup(new LoopAgent({ name: 'root', subAgents }));
    expect(textsIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual(['a: 1', 'a: 2']);
  });

  it('ends with the loop inside it whose agent escalates', async () => {
    const inner = new LoopAgent({ name: 'inner', subAgents: [saying('a', '1'), escalating('b')] });
    const { runner } = await createSetup(new LoopAgent({ name: 'root', subAgents: [inner, saying('c', '2')] }));
    expect(textsIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual(['a: 1', 'b: enough']);
  });

  it('ends if an agent has an open long-running call', async () => {
    const { runner } = await createSetup(new LoopAgent({ name: 'root', subAgents: [waiting('a')] }));
    expect(answersIn(await Array.fromAsync(runner.runAsync(hello)))).toEqual([['approve', { status: 'asked' }]]);
  });

  it('ends at maxLlmCalls without another end (contract 19)', async () => {
    const model = new ScriptedLlm(says('1'), says('2'), says('3'));
    const { runner } = await createSetup(
      new LoopAgent({ name: 'root', subAgents: [new LlmAgent({ name: 'a', model })] }),
    );
    expect((await outcomeOf(runner.runAsync({ ...hello, runConfig: { maxLlmCalls: 3 } }))).error?.code).toBe(
      'LLM_CALL_LIMIT',
    );
  });

  it.each([
    [{ maxIterations: 0 }, 'maxIterations must be a positive integer'],
    [{ maxIterations: 1.5 }, 'maxIterations must be a positive integer'],
    [{ subAgents: [] }, 'subAgents must have at least one agent'],
  ])('rejects %o with INVALID_INPUT', (options, message) => {
    expect(() => new LoopAgent({ name: 'root', subAgents: [saying('a', '1')], ...options })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });
});

describe('ParallelAgent', () => {
  it.each(['attached', 'detached'] as const)('yields events in the order of seq, with reader: %s', async (reader) => {
    const branch = (name: string): Agent => {
      const model = new ScriptedLlm(calls('look'), calls('look'), says(name));
      return new LlmAgent({ name, model, tools: [toolOf('look', () => 1)] });
    };
    const agent = new ParallelAgent({ name: 'all', subAgents: ['a', 'b', 'c', 'd'].map(branch) });
    const { runner, stored } = await createSetup(agent);
    const events = await Array.fromAsync(runner.runAsync({ ...hello, runConfig: { reader } }));
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
    expect((await stored()).events.slice(1)).toEqual(events);
  });

  it('runs its agents concurrently, each in a branch that hides the others (F225)', async () => {
    const models = { a: new ScriptedLlm(calls('look'), says('A.')), b: new ScriptedLlm(calls('look'), says('B.')) };
    let running = 0;
    const look = toolOf('look', async () => {
      running++;
      while (running < 2) await settle();
    });
    const subAgents = [
      new LlmAgent({ name: 'a', model: models.a, tools: [look] }),
      new LlmAgent({ name: 'b', model: models.b, tools: [look] }),
    ];
    const { runner, stored } = await createSetup(new ParallelAgent({ name: 'root', subAgents }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(new Set(events.map(({ author, branch }) => `${author} ${branch}`))).toEqual(
      new Set(['a root.a', 'b root.b']),
    );
    expect(JSON.stringify(models.a.requests[1]!.contents)).not.toContain('root.b');
    expect(models.a.requests[1]!.contents.length).toBe(3);
    expect((await stored()).events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('returns the stored event to the agent that yielded it', async () => {
    const seen: string[] = [];
    const listening = (name: string): Agent =>
      agentOf(name, async function* (context) {
        for (const n of [1, 2, 3]) {
          const stored = yield eventOf(context, `${name}${n}`);
          seen.push(`${name} ${stored.content!.parts![0]!.text} ${stored.seq !== undefined}`);
        }
      });
    const { runner } = await createSetup(
      new ParallelAgent({ name: 'root', subAgents: [listening('a'), listening('b')] }),
    );
    await runner.runToCompletion(hello);
    expect(seen.toSorted()).toEqual(['a', 'b'].flatMap((name) => [1, 2, 3].map((n) => `${name} ${name}${n} true`)));
  });

  it('stores the finished work of other agents if one fails', async () => {
    const failure = Promise.withResolvers<void>();
    const late = agentOf('b', async function* () {
      await failure.promise;
      throw new Error('broken');
    });
    const look = toolOf('look', (_args, { state }) => (state.set('seen', true), setImmediate(failure.resolve), 'seen'));
    const model = new ScriptedLlm(calls('look'), async () => (await settle(), says('A.')));
    const subAgents = [new LlmAgent({ name: 'a', model, tools: [look] }), late];
    const { runner, stored } = await createSetup(new ParallelAgent({ name: 'root', subAgents }));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error?.code).toBe('AGENT_FAILED');
    const session = await stored();
    expect(session.state).toEqual({ seen: true });
    expect(answersIn(session.events)).toEqual([['look', { result: 'seen' }]]);
    expect(session.events.at(-1)!.errorCode).toBe('AGENT_FAILED');
  });

  it('starts no further work after one agent has failed', async () => {
    const subAgents = [saying('a', '1', '2', '3'), failing('b')];
    const { runner, stored } = await createSetup(new ParallelAgent({ name: 'root', subAgents }));
    await outcomeOf(runner.runAsync(hello));
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'a: 1', 'b: AGENT_FAILED']);
  });

  it('gives the calls of concurrent branches different ids if their models repeat an id', async () => {
    const ask = toolOf('ask', () => undefined, { isLongRunning: true });
    const subAgents = ['a', 'b'].map(
      (name) => new LlmAgent({ name, model: new ScriptedLlm(calls('ask', {}, 'call_1')), tools: [ask] }),
    );
    const { runner } = await createSetup(new ParallelAgent({ name: 'root', subAgents }));
    const { interrupts } = await runner.runToCompletion(hello);
    expect(new Set(interrupts.map(({ id }) => id)).size).toBe(2);
  });

  it('nests the branches of nested ParallelAgents', async () => {
    const inner = new ParallelAgent({ name: 'inner', subAgents: [saying('a', '1')] });
    const { runner } = await createSetup(new ParallelAgent({ name: 'root', subAgents: [inner] }));
    expect((await Array.fromAsync(runner.runAsync(hello))).map(({ branch }) => branch)).toEqual(['root.inner.inner.a']);
  });

  it('does nothing without agents', async () => {
    const { runner } = await createSetup(new ParallelAgent({ name: 'root' }));
    expect(await Array.fromAsync(runner.runAsync(hello))).toEqual([]);
  });
});

describe('The next message', () => {
  const twice = (name: string): LlmAgent =>
    new LlmAgent({ name, model: new ScriptedLlm(says('first'), says('second')) });
  const both = (...texts: string[]): string[] => texts.flatMap((text) => [`one: ${text}`, `two: ${text}`]);

  it.each([
    ['a SequentialAgent', () => new SequentialAgent({ name: 'root', subAgents: [twice('one'), twice('two')] })],
    ['a ParallelAgent', () => new ParallelAgent({ name: 'root', subAgents: [twice('one'), twice('two')] })],
    ['a LoopAgent', () => new LoopAgent({ name: 'root', maxIterations: 1, subAgents: [twice('one'), twice('two')] })],
    [
      'a custom agent',
      () => {
        const subAgents = [twice('one'), twice('two')];
        const root = agentOf('root', async function* (context) {
          for (const agent of subAgents) yield* context.runAgent(agent);
        });
        return { ...root, subAgents };
      },
    ],
  ])('runs all agents of %s again, not only the last author (contract 29)', async (_name, create) => {
    const { runner } = await createSetup(create());
    expect(textsIn((await runner.runToCompletion(hello)).events)).toEqual(both('first'));
    expect(textsIn((await runner.runToCompletion(hello)).events)).toEqual(both('second'));
  });

  it('goes to the agent that transferred to a workflow, not to the workflow (contract 29)', async () => {
    const plan = new SequentialAgent({ name: 'plan', subAgents: [twice('one'), twice('two')] });
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'plan' }), says('Anything else?'));
    const { runner } = await createSetup(new LlmAgent({ name: 'root', model, subAgents: [plan] }));
    expect(textsIn((await runner.runToCompletion(hello)).events).slice(2)).toEqual(both('first'));
    expect((await runner.runToCompletion(hello)).text).toBe('Anything else?');
  });
});

describe('A run that is left', () => {
  const opening = (name: string, log: string[]): Agent =>
    agentOf(name, async function* (context) {
      try {
        yield eventOf(context, 'one');
        yield eventOf(context, 'two');
      } finally {
        log.push(name);
      }
    });

  it.each([
    [
      'a SequentialAgent',
      (log: string[]) => new SequentialAgent({ name: 'root', subAgents: [opening('a', log)] }),
      ['a'],
    ],
    ['a LoopAgent', (log: string[]) => new LoopAgent({ name: 'root', subAgents: [opening('a', log)] }), ['a']],
    [
      'a ParallelAgent',
      (log: string[]) => new ParallelAgent({ name: 'root', subAgents: [opening('a', log), opening('b', log)] }),
      ['a', 'b'],
    ],
  ])('runs the finally blocks of agents below %s (contract 23)', async (_name, create, expected) => {
    const log: string[] = [];
    const { runner } = await createSetup(create(log));
    for await (const event of runner.runAsync(hello)) if (event.content) break;
    await settle();
    expect(log.toSorted()).toEqual(expected);
  });

  it('runs the finally block of a branch if another branch fails (contract 23)', async () => {
    const log: string[] = [];
    const subAgents = [opening('a', log), failing('b')];
    const { runner } = await createSetup(new ParallelAgent({ name: 'root', subAgents }));
    await outcomeOf(runner.runAsync(hello));
    await settle();
    expect(log).toEqual(['a']);
  });
});
