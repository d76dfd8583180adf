import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import type { Event, Llm, Plugin, Tool, ToolContext } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import {
  calls,
  callsAll,
  fails,
  FixedRuntime,
  hangs,
  ignores,
  says as answers,
  ScriptedLlm,
  streams,
} from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { agentOf, counting, hello, houseOf, ref, says, saying, settle, textsIn } from '../support/runs.ts';
import type { House } from '../support/runs.ts';

/** The situations of docs/contracts.md that a run must survive, each under its own name. After every one the next turn works. */
describe('leaving and stopping', () => {
  it('1: `break` on a call’s event runs no tool, stores RUN_LEFT and throws nothing (contract 23)', async () => {
    const lookup = toolOf('lookup', async () => 'found');
    const model = new ScriptedLlm(calls('lookup'), answers('fine'));
    const house = await houseOf(agentWith(model, lookup));
    for await (const event of house.runner.runAsync(hello)) if (getFunctionCalls(event).length > 0) break;
    expect(lookup.runs).toBe(0);
    expect((await house.stored()).events.at(-1)).toMatchObject({ author: 'root', errorCode: 'RUN_LEFT' });
    await nextTurnWorks(house);
  });

  it('2: `break` while tools run keeps what finished and answers the rest as cancelled (contract 23)', async () => {
    let heard = false;
    const quick = toolOf('quick', async () => 'done');
    const slow = toolOf(
      'slow',
      ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => ((heard = true), reject(signal.reason as Error))),
        ),
    );
    const house = await houseOf(
      agentWith(new ScriptedLlm(callsAll(['quick'], ['slow']), answers('fine')), quick, slow),
    );
    for await (const event of house.runner.runAsync(hello)) if (getFunctionResponses(event).length > 0) break;
    expect(heard).toBe(true);
    const responses = (await house.stored()).events.flatMap(getFunctionResponses);
    expect(responses).toMatchObject([
      { name: 'quick', response: { result: 'done' } },
      { name: 'slow', response: { error: expect.stringMatching(/cancel/i) } },
    ]);
    await nextTurnWorks(house);
  });

  it('3: `return()` while a `next()` is pending settles without waiting for the model (contract 23)', async () => {
    const house = await houseOf(agentWith(new ScriptedLlm(ignores(), answers('fine'))));
    const run = house.runner.runAsync(hello);
    const pending = run.next();
    await settle();
    await run.return?.();
    expect(await pending).toEqual({ value: undefined, done: true });
    await nextTurnWorks(house);
  });

  it.each([
    ['hears', hangs()],
    ['ignores', ignores()],
  ])(
    '4: `abortSignal` ends a run whose model %s its signal; a late answer is not stored (contract 23)',
    async (_, answer) => {
      const house = await houseOf(agentWith(new ScriptedLlm(answer, answers('fine'))));
      const controller = new AbortController();
      const reading = Array.fromAsync(house.runner.runAsync({ ...hello, abortSignal: controller.signal }));
      await settle();
      controller.abort('enough');
      await expect(reading).rejects.toMatchObject({ code: 'RUN_ABORTED', cause: 'enough' });
      expect(textsIn((await house.stored()).events)).toEqual(['hello', '(RUN_ABORTED)']);
      await nextTurnWorks(house);
    },
  );

  it('5: `cancel` from elsewhere is RUN_ABORTED for the reader, after the error’s event (contract 23)', async () => {
    const house = await houseOf(agentWith(new ScriptedLlm(hangs(), answers('fine'))));
    const { events, reading } = readingOf(house.runner);
    await settle();
    expect(await house.another().cancel({ userId: 'ann', sessionId: 's', invocationId: 'another' })).toBe(false);
    expect(await house.another().cancel({ userId: 'ann', sessionId: 's' })).toBe(true);
    await expect(reading).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(events.at(-1)).toMatchObject({ errorCode: 'RUN_ABORTED' });
    expect(await house.runner.cancel({ userId: 'ann', sessionId: 's' })).toBe(false);
    await nextTurnWorks(house);
  });

  it('6: a reader that takes one event and never another is RUN_ABANDONED; a run that nobody reads never begins (contract 23)', async () => {
    const house = await houseOf(agentWith(new ScriptedLlm(answers('one'), answers('fine'))));
    const never = house.runner.runAsync(hello);
    const run = house.runner.runAsync({ ...hello, runConfig: { idleLimitMs: 1_000 } });
    await run.next();
    await house.runtime.advance(999);
    expect((await house.stored()).events).toHaveLength(2);
    await house.runtime.advance(2);
    await run.done;
    expect((await house.stored()).events.at(-1)).toMatchObject({ errorCode: 'RUN_ABANDONED' });
    await nextTurnWorks(house);
    await never.return?.();
    expect((await house.stored()).events.filter(({ author }) => author === 'user')).toHaveLength(2);
  });

  it('7: a reader slower than the tools finds their answers stored, and reads them one by one in the order they got ready (contract 18)', async () => {
    const gates = new Map<string, () => void>();
    const tools = ['a', 'b', 'c'].map((name) =>
      toolOf(name, () => new Promise((resolve) => gates.set(name, () => resolve(name)))),
    );
    const house = await houseOf(agentWith(new ScriptedLlm(callsAll(['a'], ['b'], ['c']), answers('fine')), ...tools));
    const run = house.runner.runAsync(hello);
    await run.next();
    const second = run.next();
    await settle();
    for (const name of ['c', 'a', 'b']) {
      gates.get(name)!();
      await settle();
    }
    const stored = (await house.stored()).events.flatMap(getFunctionResponses).map(({ name }) => name);
    expect(stored).toEqual(['c', 'a', 'b']);
    const read = [(await second).value as Event, (await run.next()).value as Event, (await run.next()).value as Event];
    expect(read.flatMap(getFunctionResponses).map(({ name }) => name)).toEqual(['c', 'a', 'b']);
    expect(textsIn([(await run.next()).value as Event])).toEqual(['fine']);
    expect((await run.next()).done).toBe(true);
  });

  it('8: a tool that never returns is answered at its time limit, and writes nothing afterwards (contracts 18, 23)', async () => {
    let late: ToolContext | undefined;
    const stuck = toolOf('stuck', (context) => ((late = context), new Promise(() => {})));
    const house = await houseOf(agentWith(new ScriptedLlm(calls('stuck'), answers('fine')), stuck));
    const completed = house.runner.runToCompletion({ ...hello, runConfig: { toolTimeoutMs: 100 } });
    await settle();
    await house.runtime.advance(101);
    expect((await completed).text).toBe('fine');
    expect((await house.stored()).events.flatMap(getFunctionResponses)).toMatchObject([
      { response: { error: expect.stringContaining('100 ms') } },
    ]);
    expect(() => late!.state.set('x', 1)).toThrow(expect.objectContaining({ code: 'CONTEXT_CLOSED' }));
  });

  it('9: an error in the middle of a stream: partials were shown, none is stored, the error’s event is (contract 22)', async () => {
    const breaking: Llm = {
      model: 'breaking',
      specVersion: 1,
      async *generateContentAsync() {
        yield* streams('Hel', 'lo').slice(0, 2);
        throw fails('MODEL_UNAVAILABLE');
      },
    };
    const house = await houseOf(agentWith(breaking));
    const { events, reading } = readingOf(house.runner, { runConfig: { streamingMode: 'sse' } });
    await expect(reading).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(textsIn(events)).toEqual(['Hel', 'lo', '(MODEL_UNAVAILABLE)']);
    expect(textsIn((await house.stored()).events)).toEqual(['hello', '(MODEL_UNAVAILABLE)']);
  });
});

describe('others at the same session', () => {
  it('10: `queue` is first come, first served over two runners; the seventeenth and who waited 30 s get SESSION_BUSY; a waiter wakes when the lease expires (contract 13)', async () => {
    const order: string[] = [];
    const gates: (() => void)[] = [];
    const agent = agentOf('root', async function* (context) {
      order.push(context.userContent.parts![0]!.text!);
      await new Promise<void>((resolve) => gates.push(resolve));
      yield says(context, 'yes');
    });
    const house = await houseOf(agent);
    const runners = [house.runner, house.another()];
    const running = Array.from({ length: 17 }, (_, i) =>
      runners[i % 2]!.runToCompletion({ ...hello, newMessage: `${i}` }),
    );
    await settle();
    await expect(
      house.runner.runToCompletion({ ...hello, newMessage: 'the seventeenth that waits' }),
    ).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    for (let i = 0; i < 17; i++) {
      gates[i]!();
      await running[i];
      await settle();
    }
    expect(order).toEqual(running.map((_, i) => `${i}`));
    const holder = house.runner.runToCompletion(hello);
    await settle();
    const impatient = house.another({ concurrency: { waitMs: 1_000 } }).runToCompletion(hello);
    impatient.catch(() => {});
    await settle();
    await house.runtime.advance(1_001);
    await expect(impatient).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    gates.at(-1)!();
    await holder;
  });

  it('10b: a waiter wakes when the holder’s lease expires (contract 13)', async () => {
    const { runtime, runnerFor, stored } = await jumpyHouse();
    const dead = readingOf(runnerFor(agentWith(new ScriptedLlm(ignores()))));
    await settle();
    const waiting = runnerFor(agentWith(new ScriptedLlm(answers('fine')))).runToCompletion(hello);
    await settle();
    runtime.jump(31_000);
    await runtime.advance(30_000);
    expect((await waiting).text).toBe('fine');
    await expect(dead.reading).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(textsIn((await stored()).events)).toEqual(['hello', 'hello', 'fine']);
  });

  it('11: `interrupt` while the old reader sits on an event: the new run begins when the old has stored what finished (contract 13)', async () => {
    const house = await houseOf(agentWith(new ScriptedLlm(answers('old'), answers('new'))), {
      concurrency: { policy: 'interrupt' },
    });
    const old = house.runner.runAsync(hello);
    await old.next();
    expect((await house.another().runToCompletion({ ...hello, newMessage: 'instead' })).text).toBe('new');
    expect(textsIn((await house.stored()).events)).toEqual(['hello', 'old', '(RUN_INTERRUPTED)', 'instead', 'new']);
    const rest = readAll(old);
    await expect(rest.reading).rejects.toMatchObject({ code: 'RUN_INTERRUPTED' });
    expect(textsIn(rest.events)).toEqual(['(RUN_INTERRUPTED)']);
  });

  it('11b: of several messages that interrupt, the newest runs, the others are RUN_INTERRUPTED (contract 13)', async () => {
    const house = await houseOf(agentWith(new ScriptedLlm(answers('old'), answers('new'))), {
      concurrency: { policy: 'interrupt' },
    });
    const old = house.runner.runAsync(hello);
    await old.next();
    const [one, two, three] = ['one', 'two', 'three'].map((newMessage) =>
      house.another().runToCompletion({ ...hello, newMessage }),
    );
    await expect(one).rejects.toMatchObject({ code: 'RUN_INTERRUPTED' });
    await expect(two).rejects.toMatchObject({ code: 'RUN_INTERRUPTED' });
    expect((await three!).text).toBe('new');
    expect(textsIn((await house.stored()).events)).toEqual(['hello', 'old', '(RUN_INTERRUPTED)', 'three', 'new']);
  });

  it('12: a lease stolen under a run: its next append is LEASE_LOST, nothing is stored, the reader hears it (contract 13)', async () => {
    const { runtime, runnerFor, stored } = await jumpyHouse();
    const run = runnerFor(saying('root', 'one', 'two')).runAsync(hello);
    await run.next();
    runtime.jump(31_000);
    expect((await runnerFor(saying('root', 'fine')).runToCompletion(hello)).text).toBe('fine');
    await expect(run.next()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'hello', 'fine']);
  });

  it('12b: a process suspended for longer than its lease continues if no other run asked (contract 13)', async () => {
    const { runtime, runnerFor, stored } = await jumpyHouse();
    const run = runnerFor(saying('root', 'one', 'two', 'three')).runAsync(hello);
    await run.next();
    runtime.jump(31_000);
    expect((await run.next()).value?.seq).toBe(3);
    runtime.jump(31_000);
    await runtime.advance(11_000);
    await Array.fromAsync(run);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'two', 'three']);
  });

  it('13: a foreign append between two turns is read alone; a foreign user: or app: write is seen (contract 13)', async () => {
    const model = new ScriptedLlm(answers('one'), answers('two'));
    const agent = new LlmAgent({ name: 'root', model, instruction: 'Theme: {user:theme?}{app:motd?}' });
    const { service, another } = await houseOf(agent);
    const counted = counting(service);
    const runner = another({ sessionService: counted.service });
    await runner.runToCompletion(hello);
    await service.updateState({ ...ref, stateDelta: { 'user:theme': 'dark' } });
    const other = await service.createSession({ appName: 'app', userId: 'ann' });
    await service.updateState({ ...ref, sessionId: other.id, stateDelta: { 'app:motd': '!' } });
    await runner.runToCompletion(hello);
    expect(counted.reads).toEqual([{ afterSeq: undefined }, { afterSeq: 2 }]);
    expect(model.requests[1]!.config.systemInstruction).toContain('Theme: dark!');
  });

  it('14: a session deleted and made anew under its id: not one word of the old one reaches the model', async () => {
    const model = new ScriptedLlm(answers('old answer'), answers('new answer'));
    const house = await houseOf(agentWith(model));
    await house.runner.runToCompletion({ ...hello, newMessage: 'old secret', stateDelta: { secret: 'old' } });
    await house.service.deleteSession(ref);
    await house.service.createSession(ref);
    await house.runner.runToCompletion({ ...hello, newMessage: 'new' });
    expect(JSON.stringify(model.requests[1])).not.toContain('old');
    expect((await house.stored()).state).toEqual({});
  });

  it('15: `updateState` in the middle of a run: neither waits, both are stored, and the run sees it from its next step on (contract 13)', async () => {
    const seen: unknown[] = [];
    const agent = agentOf('root', async function* (context) {
      yield says(context, 'one');
      yield says(context, 'two');
      seen.push(context.state.get('mood'), context.history.length);
    });
    const house = await houseOf(agent);
    const run = house.runner.runAsync(hello);
    await run.next();
    await house.runner.updateSessionState({ userId: 'ann', sessionId: 's', stateDelta: { mood: 'good' } });
    await Array.fromAsync(run);
    expect(seen).toEqual(['good', 4]);
    expect(textsIn((await house.stored()).events)).toEqual(['hello', 'one', '(empty)', 'two']);
    await nextTurnWorks(house, saying('root', 'fine'));
  });
});

describe('a process that dies', () => {
  it('16: between two answers of one turn: both are in the store though the reader never took them; the third is unknown to the model (contracts 17, 18)', async () => {
    const { runtime, runnerFor, stored } = await jumpyHouse();
    const done = ['a', 'b'].map((name) => toolOf(name, async () => name));
    const dead = runnerFor(
      agentWith(
        new ScriptedLlm(callsAll(['a'], ['b'], ['c'])),
        ...done,
        toolOf('c', () => new Promise(() => {})),
      ),
    ).runAsync(hello);
    await dead.next();
    dead.next().catch(() => {});
    await settle();
    expect((await stored()).events.flatMap(getFunctionResponses).map(({ name }) => name)).toEqual(['a', 'b']);
    runtime.jump(31_000);
    const model = new ScriptedLlm(answers('fine'));
    await runnerFor(
      agentWith(
        model,
        ...done,
        toolOf('c', async () => 'c'),
      ),
    ).runToCompletion({ ...hello, newMessage: 'again' });
    const responses = model.requests[0]!.contents.flatMap((content) => getFunctionResponses({ content }));
    expect(responses).toMatchObject([
      { name: 'a', response: { result: 'a' } },
      { name: 'b', response: { result: 'b' } },
      { name: 'c', response: { error: expect.stringContaining('unknown') } },
    ]);
  });

  it('17: after the user’s message: the next turn sees it once', async () => {
    const { runtime, runnerFor } = await jumpyHouse();
    runnerFor(agentWith(new ScriptedLlm(ignores())))
      .runAsync(hello)
      .next()
      .catch(() => {});
    await settle();
    runtime.jump(31_000);
    const model = new ScriptedLlm(answers('fine'));
    await runnerFor(agentWith(model)).runToCompletion({ ...hello, newMessage: 'again' });
    expect(model.requests[0]!.contents.flatMap(({ parts }) => parts?.map(({ text }) => text))).toEqual([
      'hello',
      'again',
    ]);
  });

  it('18: the dead process comes back to life and stores nothing (contract 13)', async () => {
    const { runtime, runnerFor, stored } = await jumpyHouse();
    let wake = (): void => {};
    const zombie = readingOf(
      runnerFor(
        agentOf('root', async function* (context) {
          await new Promise<void>((resolve) => (wake = resolve));
          yield says(context, 'braaains');
        }),
      ),
    );
    await settle();
    runtime.jump(31_000);
    await runnerFor(saying('root', 'fine')).runToCompletion(hello);
    wake();
    await expect(zombie.reading).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(textsIn((await stored()).events)).toEqual(['hello', 'hello', 'fine']);
  });
});

describe('what plugins and agents do', () => {
  it('19: what `onEventCallback` redacts is stored, shown, kept, read on and called as redacted; what it drops nobody sees (contract 16)', async () => {
    const redact: Plugin = {
      name: 'redact',
      onEventCallback: ({ event }) => {
        if (event.author === 'user') return undefined;
        if (JSON.stringify(event.content)?.includes('drop me')) return null;
        return JSON.parse(JSON.stringify(event).replaceAll('1234', '####')) as Event;
      },
    };
    const lookup = toolOf('lookup', async () => 'found');
    const model = new ScriptedLlm(calls('lookup', { card: '1234' }), answers('drop me'));
    const agent = new LlmAgent({ name: 'root', model, tools: [lookup], outputKey: 'kept' });
    const house = await houseOf(agent, { plugins: [redact] });
    const { events } = await house.runner.runToCompletion(hello);
    expect(lookup.args).toEqual([{ card: '####' }]);
    expect(textsIn(events)).toEqual(['·', '·']);
    expect(textsIn((await house.stored()).events)).toEqual(['hello', '·', '·']);
    const next = new ScriptedLlm(answers('card 1234'), answers('read on'));
    house.runner.agent = new LlmAgent({ name: 'root', model: next, outputKey: 'kept' });
    expect((await house.runner.runToCompletion(hello)).text).toBe('card ####');
    expect((await house.stored()).state).toEqual({ kept: 'card ####' });
    await house.runner.runToCompletion(hello);
    expect(JSON.stringify(next.requests)).not.toContain('1234');
  });

  it.each([
    'onUserMessageCallback',
    'onEventCallback',
    'beforeRunCallback',
    'beforeAgentCallback',
    'beforeModelCallback',
    'afterModelCallback',
    'afterAgentCallback',
  ] as const)(
    '20: a plugin that throws in %s: PLUGIN_FAILED with its name, message and error event stored, next turn works (contracts 21, 22)',
    async (hook) => {
      let broken = true;
      const plugin: Plugin = {
        name: 'fragile',
        [hook]: () => (broken ? Promise.reject(new Error('broken')) : undefined),
      };
      const house = await houseOf(agentWith(new ScriptedLlm(answers('fine'), answers('fine'), answers('fine'))), {
        plugins: [plugin],
      });
      await expect(house.runner.runToCompletion(hello)).rejects.toMatchObject({
        code: 'PLUGIN_FAILED',
        message: expect.stringContaining('fragile'),
      });
      expect((await house.stored()).events.at(-1)).toMatchObject({ errorCode: 'PLUGIN_FAILED' });
      broken = false;
      expect((await house.runner.runToCompletion(hello)).text).toBe('fine');
    },
  );

  it('20b: what afterRunCallback throws is only logged (contract 21)', async () => {
    const house = await houseOf(saying('root', 'fine'), {
      plugins: [{ name: 'fragile', afterRunCallback: () => Promise.reject(new Error('broken')) }],
    });
    expect((await house.runner.runToCompletion(hello)).text).toBe('fine');
    expect(house.runtime.logs.map(({ message }) => message)).toEqual(['afterRunCallback failed.']);
  });

  it('21: two branches write state and call tools, and one fails: the other’s finished work is stored (contracts 16, 18)', async () => {
    const save = toolOf('save', async ({ state }) => (state.set('saved', 1), 'saved'));
    const good = new LlmAgent({ name: 'good', model: new ScriptedLlm(calls('save'), hangs()), tools: [save] });
    const bad = agentOf('bad', async function* (context) {
      context.state.set('bad', 1);
      yield says(context, 'so far');
      await new Promise<void>((resolve) => setTimeout(resolve, 20));
      throw new Error('broken');
    });
    const house = await houseOf(new ParallelAgent({ name: 'root', subAgents: [good, bad] }));
    await expect(house.runner.runToCompletion(hello)).rejects.toMatchObject({ code: 'AGENT_FAILED' });
    const { state, events } = await house.stored();
    expect(state).toEqual({ saved: 1, bad: 1 });
    expect(events.at(-1)).toMatchObject({ errorCode: 'AGENT_FAILED' });
    await nextTurnWorks(house, saying('root', 'fine'));
  });

  it('22: a sub-agent that a custom agent runs by hand still passes plugins, limits and the signal (contract 19)', async () => {
    const heard: string[] = [];
    const plugin: Plugin = {
      name: 'ear',
      beforeAgentCallback: ({ agent }) => void heard.push(agent.name),
      beforeModelCallback: () => void heard.push('model'),
    };
    const inner = agentWith(
      new ScriptedLlm(answers('one'), answers('two')),
      toolOf('unused', async () => 1),
    );
    const hand = Object.assign(inner, {});
    const outer = agentOf('outer', async function* (context) {
      yield* context.runAgent(hand);
      yield* context.runAgent(hand);
    });
    const house = await houseOf(outer, { plugins: [plugin] });
    await expect(house.runner.runToCompletion({ ...hello, runConfig: { maxLlmCalls: 1 } })).rejects.toMatchObject({
      code: 'LLM_CALL_LIMIT',
    });
    expect(heard).toEqual(['outer', 'root', 'model', 'root', 'model']);
  });

  it('23: a made-up tool called three steps on end is MODEL_STUCK after three calls, not after 500 (contract 18)', async () => {
    const model = new ScriptedLlm(calls('made_up'), calls('made_up'), calls('made_up'), answers('fine'));
    const house = await houseOf(agentWith(model));
    await expect(house.runner.runToCompletion(hello)).rejects.toMatchObject({ code: 'MODEL_STUCK' });
    expect(model.requests).toHaveLength(3);
    await nextTurnWorks(house);
  });
});

interface CountedTool extends Tool {
  runs: number;
  args: unknown[];
}

function toolOf(name: string, run: (context: ToolContext) => Promise<unknown>): CountedTool {
  const tool: CountedTool = {
    name,
    description: name,
    runs: 0,
    args: [],
    declaration: () => ({ name, description: name }),
    runAsync: ({ args, toolContext }) => {
      tool.runs++;
      tool.args.push(args);
      return run(toolContext);
    },
  };
  return tool;
}

function agentWith(model: Llm, ...tools: Tool[]): LlmAgent {
  return new LlmAgent({ name: 'root', model, tools });
}

async function nextTurnWorks(house: House, agent?: Parameters<typeof houseOf>[0]): Promise<void> {
  const runner = agent ? house.another({ agent } as never) : house.runner;
  expect((await runner.runToCompletion({ ...hello, newMessage: 'and now?' })).text).toBe('fine');
}

function readingOf(runner: Runner, more: object = {}): { events: Event[]; reading: Promise<void> } {
  return readAll(runner.runAsync({ ...hello, ...more }));
}

function readAll(run: AsyncIterable<Event>): { events: Event[]; reading: Promise<void> } {
  const events: Event[] = [];
  const reading = (async () => {
    for await (const event of run) events.push(event);
  })();
  reading.catch(() => {});
  return { events, reading };
}

/** A clock that can jump past what timers would have done: a process that was paused or has died. */
class JumpyRuntime extends FixedRuntime {
  #jumped = 0;
  jump(ms: number): void {
    this.#jumped += ms;
  }
  override monotonic(): number {
    return super.monotonic() + this.#jumped;
  }
}

async function jumpyHouse() {
  const runtime = new JumpyRuntime();
  const service = new InMemorySessionService({ runtime });
  await service.createSession(ref);
  return {
    runtime,
    stored: async () => (await service.getSession(ref))!,
    runnerFor: (agent: Parameters<typeof houseOf>[0]) =>
      new Runner({ appName: 'app', agent, sessionService: service, runtime }),
  };
}
