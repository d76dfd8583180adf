import { TholeError } from '@thole/core';
import type { JsonObject, LlmResponse, Plugin, Tool, ToolContext } from '@thole/core';
import { calls, callsAll, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { answersIn, hello, createSetup, outcomeOf, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';
import type { LlmTestSetup } from '../support/llm-setup.ts';

const never = (): Promise<never> => new Promise(() => {});

/** Runs a turn in which the model calls the only tool once. Returns the answer of the tool. */
async function callOnce(
  tool: Tool,
  options: { args?: JsonObject; plugins?: Plugin[] } = {},
): Promise<{ answer: JsonObject | undefined; setup: LlmTestSetup }> {
  const model = new ScriptedLlm(calls(tool.name, options.args, 'c1'), says('Done.'));
  const setup = await createSetup(rootOf(model, { tools: [tool] }), { plugins: options.plugins ?? [] });
  const events = await Array.fromAsync(setup.runner.runAsync(hello));
  return { answer: answersIn(events)[0]?.[1], setup };
}

const brokenArgsError =
  'The arguments of look were not a JSON object with finite numbers and at most 90 levels. ' +
  'Call it again with arguments that are one.';

describe('The result of a tool', () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;

  it.each<[string, unknown, JsonObject]>([
    ['an object, without undefined members', { a: 1, b: undefined }, { a: 1 }],
    ['a string, as result', 'sunny', { result: 'sunny' }],
    ['an array, as result', [1, 2], { result: [1, 2] }],
    ['undefined, as null', undefined, { result: null }],
    ['null', null, { result: null }],
    ['a value with toJSON', { when: new Date(0) }, { when: '1970-01-01T00:00:00.000Z' }],
    ['a Date, as text', new Date(0), { result: '1970-01-01T00:00:00.000Z' }],
  ])('is the answer: %s', async (_name, result, expected) => {
    expect((await callOnce(toolOf('look', () => result))).answer).toEqual(expected);
  });

  it.each<[unknown, string]>([
    [{ a: { b: new Map() } }, 'result.a.b is a Map'],
    [{ n: 1n }, 'result.n is a bigint'],
    [cyclic, 'result.self refers back to a value that contains it'],
    [{ list: [undefined] }, 'result.list[0] is'],
  ])('is an error with the path if it is not JSON', async (result, path) => {
    const { answer } = await callOnce(toolOf('look', () => result));
    expect(answer!['error']).toContain(path);
  });
});

describe('A tool call that fails', () => {
  it('returns the message of the error to the model (contract 18)', async () => {
    const { answer } = await callOnce(
      toolOf('look', () => {
        throw new Error('The window is shut.');
      }),
    );
    expect(answer).toEqual({ error: 'The window is shut.' });
  });

  it('is answered at the time limit, and later writes throw CONTEXT_CLOSED (contract 18)', async () => {
    let late: ToolContext | undefined;
    const tool = toolOf('look', (_args, toolContext) => ((late = toolContext), never()), { timeoutMs: 50 });
    const { runner, runtime } = await createSetup(
      rootOf(new ScriptedLlm(calls('look'), says('Too late.')), { tools: [tool] }),
    );
    const run = outcomeOf(runner.runAsync(hello));
    await runtime.advance(50);
    const { events } = await run;
    expect(answersIn(events)).toEqual([['look', { error: 'look did not answer within 50 ms.' }]]);
    expect(() => late!.state.set('k', 1)).toThrow(expect.objectContaining({ code: 'CONTEXT_CLOSED' }));
  });

  it('aborts the signal of the tool at its time limit and at the end of the run (contract 18)', async () => {
    const reasons: string[] = [];
    const tool = toolOf(
      'look',
      (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener(
            'abort',
            () => (reasons.push((signal.reason as Error).message), reject(signal.reason)),
          );
        }),
      { timeoutMs: 50 },
    );
    const model = new ScriptedLlm(calls('look'), says('Too late.'), calls('look'));
    const { runner, runtime } = await createSetup(rootOf(model, { tools: [tool] }));
    const ending = outcomeOf(runner.runAsync(hello));
    await runtime.advance(50);
    expect((await ending).error).toBeUndefined();
    const run = runner.runAsync(hello);
    const aborted = outcomeOf(run);
    await settle();
    run.abort();
    await aborted;
    expect(reasons).toEqual(['look did not answer within 50 ms.', expect.stringContaining('was aborted')]);
  });

  it('releases the timer when the run ends, also for a tool that ignores its signal (contract 23)', async () => {
    const tool = toolOf('look', never, { timeoutMs: 60_000 });
    const { runner, runtime } = await createSetup(rootOf(new ScriptedLlm(calls('look')), { tools: [tool] }));
    const pendingSleeps = new Set<number>();
    const sleep = runtime.sleep.bind(runtime);
    runtime.sleep = (ms, signal) => {
      pendingSleeps.add(ms);
      return sleep(ms, signal).finally(() => pendingSleeps.delete(ms));
    };
    const run = runner.runAsync(hello);
    const ending = outcomeOf(run);
    await settle();
    expect([...pendingSleeps]).toEqual([60_000]);
    run.abort();
    await ending;
    expect([...pendingSleeps]).toEqual([]);
  });

  it('uses toolTimeoutMs of the run if the tool has no time limit', async () => {
    const { runner, runtime } = await createSetup(
      rootOf(new ScriptedLlm(calls('look'), says('x')), { tools: [toolOf('look', never)] }),
    );
    const run = outcomeOf(runner.runAsync({ ...hello, runConfig: { toolTimeoutMs: 20 } }));
    await runtime.advance(20);
    expect(answersIn((await run).events)[0]![1]).toEqual({ error: 'look did not answer within 20 ms.' });
  });

  it('keeps the state that the tool wrote, but not its other actions', async () => {
    const tool = toolOf('look', (_args, { state, actions }) => {
      state.set('tried', true);
      actions.skipSummarization = true;
      throw new Error('no');
    });
    const { setup } = await callOnce(tool);
    const { state, events } = await setup.stored();
    expect(state).toEqual({ tried: true });
    expect(textsIn(events).at(-1)).toBe('root: Done.');
  });

  it('ends the run after three steps in which the tool rejects its arguments (contract 18)', async () => {
    const tool = toolOf('look', () => {
      throw new TholeError('INVALID_INPUT', 'city: expected string.', { details: { refused: true } });
    });
    const model = new ScriptedLlm(calls('look'), calls('look'), calls('look'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error?.code).toBe('MODEL_STUCK');
    expect(answersIn(events)[0]![1]).toEqual({ error: 'city: expected string.' });
  });

  it('reports arguments that are not a JSON object to the model without running the tool (contract 18)', async () => {
    const ran: JsonObject[] = [];
    const broken: LlmResponse = {
      content: { parts: [{ functionCall: { id: 'c1', name: 'look', args: {}, brokenArgs: '{"city": "Os' } }] },
      finishReason: 'STOP',
    };
    const model = new ScriptedLlm(broken, calls('look', { city: 'Oslo' }), says('Done.'));
    const setup = await createSetup(rootOf(model, { tools: [toolOf('look', (args) => void ran.push(args))] }));
    const events = await Array.fromAsync(setup.runner.runAsync(hello));
    expect(answersIn(events)).toEqual([
      ['look', { error: brokenArgsError }],
      ['look', { result: null }],
    ]);
    expect(ran).toEqual([{ city: 'Oslo' }]);
    expect(JSON.stringify(model.requests[1]!.contents.at(-1))).toContain('were not a JSON object');
  });

  it.each([
    ['a number that is too large', '{"n":1e999}', '{"n":"Infinity"}'],
    ['values nested too deep', `{"n":${'['.repeat(97)}${']'.repeat(97)}}`, expect.stringContaining('{"n":[[[')],
  ])(
    'keeps arguments with %s as brokenArgs, and the model repeats the call (contract 18)',
    async (_name, text, kept) => {
      const ran: JsonObject[] = [];
      const model = new ScriptedLlm(
        calls('look', JSON.parse(text) as JsonObject),
        calls('look', { n: 1 }),
        says('Done.'),
      );
      const setup = await createSetup(rootOf(model, { tools: [toolOf('look', (args) => void ran.push(args))] }));
      const events = await Array.fromAsync(setup.runner.runAsync(hello));
      expect(events[0]!.content!.parts![0]!.functionCall).toMatchObject({ name: 'look', args: {}, brokenArgs: kept });
      expect(answersIn(events)).toEqual([
        ['look', { error: brokenArgsError }],
        ['look', { result: null }],
      ]);
      expect(ran).toEqual([{ n: 1 }]);
    },
  );

  it('requests a confirmation for arguments of 90 levels', async () => {
    const args = JSON.parse(`{"n":${'['.repeat(89)}${']'.repeat(89)}}`) as JsonObject;
    const tool = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const { runner } = await createSetup(rootOf(new ScriptedLlm(calls('pay', args)), { tools: [tool] }));
    const { interrupts, status } = await runner.runToCompletion(hello);
    expect(status).toBe('paused');
    expect(interrupts).toMatchObject([{ kind: 'confirmation', toolName: 'pay' }]);
  });

  it('ends the run after three steps with arguments that are not a JSON object (contract 18)', async () => {
    const broken: LlmResponse = {
      content: { parts: [{ functionCall: { name: 'look', args: {}, brokenArgs: 'city=Oslo' } }] },
    };
    const setup = await createSetup(
      rootOf(new ScriptedLlm(broken, broken, broken), { tools: [toolOf('look', () => 'never')] }),
    );
    expect((await outcomeOf(setup.runner.runAsync(hello))).error?.code).toBe('MODEL_STUCK');
  });

  it('returns an error to the model for a transfer to an unknown agent', async () => {
    const { answer } = await callOnce(
      toolOf('look', (_args, { actions }) => void (actions.transferToAgent = 'nobody')),
    );
    expect(answer).toEqual({ error: 'There is no agent nobody to hand over to.' });
  });
});

describe('Calls of one turn', () => {
  it('run concurrently, at maxRunning maxParallelTools at a time', async () => {
    let running = 0;
    let maxRunning = 0;
    const tool = toolOf('look', async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await settle();
      running--;
    });
    const four = callsAll(['look', { n: 1 }], ['look', { n: 2 }], ['look', { n: 3 }], ['look', { n: 4 }]);
    const { runner } = await createSetup(rootOf(new ScriptedLlm(four, says('x'), four, says('y')), { tools: [tool] }));
    await runner.runToCompletion({ ...hello, runConfig: { maxParallelTools: 2 } });
    expect(maxRunning).toBe(2);
    await runner.runToCompletion(hello);
    expect(maxRunning).toBe(4);
  });

  it('keep finished answers after an abort; running calls are in doubt (contracts 18, 23)', async () => {
    const tools = [toolOf('quick', () => 'done'), toolOf('slow', never)];
    const model = new ScriptedLlm(callsAll(['slow', {}, 'a'], ['quick', {}, 'b']), says('Back.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools }));
    const run = runner.runAsync(hello);
    const ending = outcomeOf(run);
    await settle();
    run.abort();
    expect((await ending).error?.code).toBe('RUN_ABORTED');
    expect(answersIn((await stored()).events)).toEqual([
      ['quick', { result: 'done' }],
      ['slow', { error: 'The run ended while this call was running. The call may or may not have taken effect.' }],
    ]);
    expect((await runner.runToCompletion(hello)).text).toBe('Back.');
  });

  it('store their state changes in separate events (contract 18)', async () => {
    const tool = toolOf('note', ({ k }, { state }) => state.set(k as string, true));
    const model = new ScriptedLlm(callsAll(['note', { k: 'a' }], ['note', { k: 'user:b' }]), says('x'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(events.slice(1, 3).map(({ actions }) => actions.stateDelta)).toEqual([{ a: true }, { 'user:b': true }]);
    expect((await stored()).state).toEqual({ a: true, 'user:b': true });
  });

  it('end the turn if one of them sets skipSummarization', async () => {
    const model = new ScriptedLlm(calls('show'));
    const tool = toolOf('show', (_args, { actions }) => void (actions.skipSummarization = true));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    expect((await Array.fromAsync(runner.runAsync(hello))).length).toBe(2);
  });
});

describe('Hooks of a tool call', () => {
  it('run in order, plugins before callbacks of the agent (contract 21)', async () => {
    const seen: string[] = [];
    const plugin: Plugin = {
      name: 'watch',
      beforeToolCallback: () => void seen.push('plugin before'),
      afterToolCallback: () => void seen.push('plugin after'),
    };
    const agent = rootOf(new ScriptedLlm(calls('look'), says('x')), {
      tools: [toolOf('look', () => void seen.push('tool'))],
      beforeToolCallback: () => void seen.push('before'),
      afterToolCallback: () => void seen.push('after'),
    });
    const { runner } = await createSetup(agent, { plugins: [plugin] });
    await runner.runToCompletion(hello);
    expect(seen).toEqual(['plugin before', 'before', 'tool', 'plugin after', 'after']);
  });

  it('may change arguments and result, but not the stored call', async () => {
    const seen: unknown[] = [];
    const agent = rootOf(new ScriptedLlm(calls('look', { city: 'Oslo' }), says('x')), {
      tools: [toolOf('look', (args) => (seen.push({ ...args }), { sun: 1 }))],
      beforeToolCallback: ({ args }) => void (args['city'] = 'Rome'),
      afterToolCallback: ({ response }) => void (response['sun'] = 2),
    });
    const { runner } = await createSetup(agent);
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(seen).toEqual([{ city: 'Rome' }]);
    expect(events[0]!.content!.parts![0]!.functionCall!.args).toEqual({ city: 'Oslo' });
    expect(answersIn(events)).toEqual([['look', { sun: 2 }]]);
  });

  it('replace the result and the error of a tool', async () => {
    const agent = rootOf(new ScriptedLlm(callsAll(['skip'], ['fail']), says('x')), {
      tools: [
        toolOf('skip', () => expect.unreachable()),
        toolOf('fail', () => {
          throw new Error('no');
        }),
      ],
      beforeToolCallback: ({ tool }) => (tool.name === 'skip' ? { from: 'before' } : undefined),
      onToolErrorCallback: ({ error }) => ({ sorry: error.message }),
    });
    const { runner } = await createSetup(agent);
    const answers = answersIn(await Array.fromAsync(runner.runAsync(hello)));
    expect(Object.fromEntries(answers)).toEqual({ skip: { from: 'before' }, fail: { sorry: 'no' } });
  });

  it('end the run if one throws, with answers for all calls (contract 21)', async () => {
    let isBroken = true;
    const agent = rootOf(new ScriptedLlm(callsAll(['look'], ['slow']), says('Back.')), {
      tools: [toolOf('look', () => 1), toolOf('slow', never)],
      afterToolCallback: () => {
        if (isBroken) throw new Error('broken');
      },
    });
    const { runner, stored } = await createSetup(agent);
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'CALLBACK_FAILED', message: 'Agent root failed in afterToolCallback.' });
    expect(
      answersIn((await stored()).events)
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(['look', 'slow']);
    isBroken = false;
    expect((await runner.runToCompletion(hello)).text).toBe('Back.');
  });
});
