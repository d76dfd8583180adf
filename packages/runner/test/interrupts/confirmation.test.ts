import { createEvent, getFunctionCalls, getFunctionResponses } from '@thole/core';
import type { Event, FunctionDeclaration, FunctionResponse, JsonObject, Session, Tool } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, callsAll, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
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

/** Returns a tool that needs a confirmation, and the arguments of its runs. */
function createPayment(more: Partial<Tool> = {}): { tool: Tool; paid: JsonObject[] } {
  const paid: JsonObject[] = [];
  const tool = toolOf('pay', (args) => (paid.push(args), { paid: true }), { requireConfirmation: true, ...more });
  return { tool, paid };
}

const kindsOf = ({ events }: Pick<Session, 'events'>): string[] =>
  events.map((event) => {
    const called = getFunctionCalls(event).map(({ name }) => name);
    const answered = getFunctionResponses(event).map(({ name }) => `${name}!`);
    const marker = event.customMetadata?.['toolStarted'] ? ['started'] : [];
    return [event.author, ...called, ...answered, ...marker].join(' ');
  });

describe('Tool.requireConfirmation', () => {
  it('is logged with its stack if it throws, and the model sees an error', async () => {
    const { tool, paid } = createPayment({
      requireConfirmation: () => {
        throw new RangeError('no limit');
      },
    });
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Sorry.'));
    const { runner, runtime, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    expect((await runner.runToCompletion(hello)).text).toBe('Sorry.');
    expect(answersIn((await stored()).events)).toEqual([['pay', { error: 'no limit' }]]);
    expect(paid).toEqual([]);
    expect(runtime.logs).toMatchObject([
      { level: 'error', message: 'A tool failed.', fields: { tool: 'pay', functionCallId: 'c1', sessionId: 's' } },
    ]);
    expect(runtime.logs[0]!.fields!['stack']).toContain('confirmation.test.ts');
  });

  it('pauses the run, and runs the tool once after the approval (contract 28)', async () => {
    const { tool, paid } = createPayment();
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Paid.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const first = await runner.runToCompletion(hello);
    expect(first).toMatchObject({ status: 'paused', interrupts: [{ kind: 'confirmation', toolName: 'pay' }] });
    expect(paid).toEqual([]);
    const { id } = first.interrupts[0]!;
    const run = runner.resume({ ...ref, answers: { [id]: true } });
    const { events } = await outcomeOf(run);
    expect(textsIn(events)).toEqual(['root: functionResponse', 'root: Paid.']);
    expect(await run.result).toMatchObject({ status: 'completed', invocationId: first.invocationId, interrupts: [] });
    expect(paid).toEqual([{ sum: 5 }]);
    expect(kindsOf(await stored())).toEqual([
      'user',
      'root pay',
      'root pay!',
      'root adk_request_confirmation',
      'user adk_request_confirmation!',
      'root started',
      'root pay!',
      'root',
    ]);
    expect(new Set((await stored()).events.map(({ invocationId }) => invocationId)).size).toBe(1);
    model.assertDone();
  });

  it('may be a method of a class that uses this', async () => {
    class Payment implements Tool {
      readonly name = 'pay';
      readonly description = 'Pays.';
      readonly limit = 3;
      declaration(): FunctionDeclaration {
        return { name: this.name, description: this.description };
      }
      requireConfirmation({ sum }: JsonObject): boolean {
        return (sum as number) > this.limit;
      }
      async runAsync(): Promise<unknown> {
        return 'paid';
      }
    }
    const model = new ScriptedLlm(calls('pay', { sum: 1 }), calls('pay', { sum: 5 }));
    const { runner } = await createSetup(rootOf(model, { tools: [new Payment()] }));
    const { events, interrupts } = await runner.runToCompletion(hello);
    expect(answersIn(events)[0]).toEqual(['pay', { result: 'paid' }]);
    expect(interrupts).toMatchObject([{ kind: 'confirmation', toolName: 'pay' }]);
  });

  it('runs a tool of a toolset after the approval', async () => {
    const { tool, paid } = createPayment();
    const toolset = { getTools: async () => [tool], close: async () => {} };
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Paid.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolset] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const run = runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } });
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([{ sum: 5 }]);
  });

  it('ends an answer with edited arguments at its abort if a toolset never answers', async () => {
    const { tool, paid } = createPayment({ allowEditedArguments: true });
    let isStuck = false;
    const getTools = () => (isStuck ? new Promise<never>(() => {}) : Promise.resolve([tool]));
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Paid.'));
    const toolset = { getTools, close: async () => {} };
    const { runner } = await createSetup(rootOf(model, { tools: [toolset] }));
    const { interrupts } = await runner.runToCompletion(hello);
    isStuck = true;
    const abort = new AbortController();
    const answers = { [interrupts[0]!.id]: { confirmed: true, editedArguments: { sum: 4 } } };
    const run = runner.resume({ ...ref, answers, abortSignal: abort.signal });
    await settle();
    abort.abort();
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'RUN_ABORTED' } });
    expect(paid).toEqual([]);
    expect(await runner.pendingInterrupts(ref)).toHaveLength(1);
  });

  it('rejects edited arguments and logs the error if a toolset fails, and stays open', async () => {
    const { tool, paid } = createPayment({ allowEditedArguments: true });
    const tools = [async () => [tool], () => Promise.reject(new Error('The registry is down.'))];
    const toolset = { getTools: () => tools.shift()!(), close: async () => {} };
    const runtime = new FixedRuntime();
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('pay', { sum: 5 }, 'c1')), { tools: [toolset] }),
      {
        runtime,
      },
    );
    const { interrupts } = await runner.runToCompletion(hello);
    const answers = { [interrupts[0]!.id]: { confirmed: true, editedArguments: { sum: 4 } } };
    const run = runner.resume({ ...ref, answers });
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'TOOL_FAILED' } });
    expect(JSON.stringify(runtime.logs)).toContain('The registry is down.');
    expect(paid).toEqual([]);
    expect(await runner.pendingInterrupts(ref)).toHaveLength(1);
  });

  it('returns a rejection to the model and does not run the tool', async () => {
    const { tool, paid } = createPayment();
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Then not.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const answer = { id: interrupts[0]!.id, name: 'adk_request_confirmation', response: { confirmed: false } };
    const message = { role: 'user' as const, parts: [{ functionResponse: answer }] };
    expect((await runner.runToCompletion({ ...hello, newMessage: message })).text).toBe('Then not.');
    expect(paid).toEqual([]);
    expect(answersIn((await stored()).events).at(-1)).toEqual(['pay', { error: 'This tool call is rejected.' }]);
  });

  it('stores the answers of the other calls before the request', async () => {
    const { tool } = createPayment();
    const look = toolOf('look', () => 'seen');
    const model = new ScriptedLlm(callsAll(['pay', { sum: 1 }], ['look']), says('Done.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool, look] }));
    const { interrupts } = await runner.runToCompletion(hello);
    expect(kindsOf(await stored()).slice(1)).toEqual([
      'root pay look',
      'root started',
      'root pay!',
      'root look!',
      'root adk_request_confirmation',
    ]);
    const { text } = await runner.runToCompletion({
      ...hello,
      newMessage: {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: interrupts[0]!.id,
              name: 'adk_request_confirmation',
              response: { response: '{"confirmed":true}' },
            },
          },
        ],
      },
    });
    expect(text).toBe('Done.');
    model.assertDone();
  });

  it('continues in another process with the same session service (contract 28)', async () => {
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const { tool, paid } = createPayment();
    const before = await createSetup(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] }), {
      sessionService,
      runtime,
    });
    const { interrupts } = await before.runner.runToCompletion(hello);
    const after = await createSetup(rootOf(new ScriptedLlm(says('Paid.')), { tools: [tool] }), {
      sessionService,
      runtime,
    });
    const { events } = await outcomeOf(after.runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(textsIn(events).at(-1)).toBe('root: Paid.');
    expect(paid).toHaveLength(1);
  });

  it('accepts edited arguments only from tools that allow them', async () => {
    const { tool, paid } = createPayment({ allowEditedArguments: true });
    const fixed = createPayment();
    for (const [each, code] of [
      [tool, undefined],
      [fixed.tool, 'ARGUMENTS_NOT_EDITABLE'],
    ] as const) {
      const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Paid.'));
      const { runner } = await createSetup(rootOf(model, { tools: [each] }));
      const { interrupts } = await runner.runToCompletion(hello);
      const answers = { [interrupts[0]!.id]: { confirmed: true, editedArguments: { sum: 4 } } };
      const { error } = await outcomeOf(runner.resume({ ...ref, answers }));
      expect(error?.code).toBe(code);
    }
    expect(paid).toEqual([{ sum: 4 }]);
    expect(fixed.paid).toEqual([]);
  });

  it('requests a confirmation again if a callback changes the arguments after the approval', async () => {
    const { tool, paid } = createPayment();
    let sum = 1;
    const beforeToolCallback = ({ args }: { args: JsonObject }): undefined => void (args['sum'] = sum++);
    const model = new ScriptedLlm(calls('pay', { sum: 0 }, 'c1'), says('Paid.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool], beforeToolCallback }));
    const first = await runner.runToCompletion(hello);
    expect(first.interrupts[0]).toMatchObject({ args: { sum: 0 }, payload: { arguments: { sum: 1 } } });
    const second = runner.resume({ ...ref, answers: { [first.interrupts[0]!.id]: true } });
    expect((await second.result).interrupts[0]).toMatchObject({ payload: { arguments: { sum: 2 } } });
    expect(paid).toEqual([]);
  });

  it('rejects invalid arguments before it requests a confirmation', async () => {
    const tool = new FunctionTool({
      name: 'pay',
      description: 'Pays.',
      parameters: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      execute: () => 'paid',
      requireConfirmation: true,
    });
    const model = new ScriptedLlm(calls('pay', { sum: 'five' }), says('Sorry.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    expect(await runner.runToCompletion(hello)).toMatchObject({ status: 'completed', text: 'Sorry.' });
  });
});

describe('The prompt of a session with an open confirmation', () => {
  it('contains a note that the call waits, and later the answer', async () => {
    const { tool } = createPayment();
    const model = new ScriptedLlm(
      calls('pay', {}, 'c1'),
      says('It waits.'),
      says('It still waits.'),
      says('Paid.'),
      says('Bye.'),
    );
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    const { interrupts } = await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, newMessage: 'And now?' });
    await runner.runToCompletion({ ...hello, newMessage: 'And now??' });
    for (const request of model.requests.slice(1)) {
      expect(JSON.stringify(request.contents)).toContain('Waiting for approval.');
      expect(JSON.stringify(request.contents)).not.toContain('requires confirmation');
    }
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }).done;
    await runner.runToCompletion({ ...hello, newMessage: 'Thanks.' });
    for (const request of model.requests.slice(3)) {
      expect(JSON.stringify(request.contents)).toContain('"paid":true');
      expect(JSON.stringify(request.contents)).not.toContain('Waiting for');
    }
    model.assertDone();
  });
});

describe('context.requestConfirmation', () => {
  it('runs the tool again with the answer, also after a rejection', async () => {
    const answers: unknown[] = [];
    const tool = toolOf('book', (_args, context) => {
      answers.push(context.toolConfirmation);
      if (!context.toolConfirmation) {
        context.requestConfirmation({ hint: 'Sure?', payload: { room: 3 } });
        return undefined;
      }
      return { booked: context.toolConfirmation.confirmed };
    });
    const model = new ScriptedLlm(calls('book', {}, 'c1'), says('No room.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const { interrupts } = await runner.runToCompletion(hello);
    expect(interrupts[0]).toMatchObject({ message: 'Sure?', payload: { room: 3 } });
    await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: { confirmed: false, payload: { why: 'late' } } } })
      .done;
    expect(answers).toEqual([undefined, { confirmed: false, payload: { why: 'late' } }]);
    expect(answersIn((await stored()).events as Event[]).at(-1)).toEqual(['book', { booked: false }]);
  });
});

describe('A tool with requireConfirmation that calls context.requestConfirmation', () => {
  it('is approved once, and receives the answer to its own request', async () => {
    const paid: unknown[] = [];
    const { tool } = createPayment({
      allowEditedArguments: true,
      runAsync: async ({ args, toolContext }) => {
        const account = toolContext.toolConfirmation?.payload;
        if (account === undefined) return toolContext.requestConfirmation({ hint: 'Which account?' });
        return { paid: paid.push({ ...args, account }) };
      },
    });
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'), says('Paid.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const approval = { confirmed: true, editedArguments: { sum: 4 } };
    const second = await runner.resume({ ...ref, answers: { [interrupts[0]!.id]: approval } }).result;
    expect(second.interrupts).toMatchObject([{ message: 'Which account?' }]);
    const answer = { confirmed: true, payload: 'mine' };
    const third = await runner.resume({ ...ref, answers: { [second.interrupts[0]!.id]: answer } }).result;
    expect(third).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([{ sum: 4, account: 'mine' }]);
  });
});

describe('Runner.resume', () => {
  it('answers each interrupt once, and stores nothing for a wrong answer', async () => {
    const { tool } = createPayment();
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const { interrupts, invocationId } = await runner.runToCompletion(hello);
    const { id } = interrupts[0]!;
    const before = (await stored()).events.length;
    const codeOf = async (answers: { [id: string]: never }): Promise<string | undefined> =>
      (await outcomeOf(runner.resume({ ...ref, answers }))).error?.code;
    expect(await codeOf({ [id]: 'yes' as never })).toBe('ANSWER_INVALID');
    expect(await codeOf({ nothing: true as never })).toBe('INTERRUPT_NOT_FOUND');
    const unknown = await outcomeOf(runner.resume({ ...ref, invocationId: 'none' }));
    expect(unknown.error?.code).toBe('INVOCATION_NOT_FOUND');
    expect((await stored()).events).toHaveLength(before);
    await runner.resume({ ...ref, answers: { [id]: true } }).done;
    expect(await codeOf({ [id]: true as never })).toBe('INTERRUPT_ANSWERED');
    expect((await outcomeOf(runner.resume({ ...ref, invocationId }))).error?.code).toBe('INVOCATION_ENDED');
  });

  it.each([
    [{ answer: {} }, 'resume has no option answer. Did you mean answers?'],
    [{ answers: ['x'] }, 'answers must be an object with the ids of interrupts as keys, got an array.'],
    [{ answers: true }, 'answers must be an object with the ids of interrupts as keys, got a boolean.'],
  ])('rejects %j with INVALID_INPUT and names the option', async (request, message) => {
    const { tool } = createPayment();
    const { runner } = await createSetup(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] }));
    await runner.runToCompletion(hello);
    const { error } = await outcomeOf(runner.resume({ ...ref, ...(request as object) }));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message });
    expect(await runner.pendingInterrupts(ref)).toHaveLength(1);
  });

  it('rejects an update of a confirmation with ANSWER_INVALID, and then accepts the answer', async () => {
    const { tool, paid } = createPayment();
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const before = (await stored()).events.length;
    const answer = { id: interrupts[0]!.id, name: 'adk_request_confirmation', response: { confirmed: true } };
    const send = async (functionResponse: FunctionResponse): Promise<string | undefined> =>
      (await outcomeOf(runner.runAsync({ ...ref, newMessage: { role: 'user', parts: [{ functionResponse }] } }))).error
        ?.code;
    expect(await send({ ...answer, willContinue: true })).toBe('ANSWER_INVALID');
    expect((await stored()).events).toHaveLength(before);
    expect(await send(answer)).toBeUndefined();
    expect(paid).toHaveLength(1);
  });

  it('rejects an answer for a tool that the agent no longer has with INTERRUPT_MISMATCH', async () => {
    const { tool } = createPayment();
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const services = { runtime, sessionService };
    const before = await createSetup(rootOf(new ScriptedLlm(calls('pay', {}, 'c1')), { tools: [tool] }), services);
    const { interrupts } = await before.runner.runToCompletion(hello);
    const after = await createSetup(rootOf(new ScriptedLlm()), services);
    const { error } = await outcomeOf(after.runner.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(error).toMatchObject({ code: 'INTERRUPT_MISMATCH', details: { reason: 'unregistered_tool' } });
  });

  it.each([
    ['an unknown call', { id: 'none', name: 'pay', args: { sum: 5 } }, 'unknown_original_call'],
    ['another tool than the call', { id: 'c1', name: 'look', args: { sum: 5 } }, 'tool_name_mismatch'],
    ['no call', {}, 'malformed_request'],
    ['no tool', { id: 'c1' }, 'malformed_request'],
    ['other arguments than the call', { id: 'c1', name: 'pay', args: { sum: 9 } }, 'arguments_mismatch'],
  ])('rejects an answer to a request that names %s', async (_, originalFunctionCall, reason) => {
    const { tool, paid } = createPayment();
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'));
    const { runner, sessions, stored } = await createSetup(
      rootOf(model, { tools: [tool, toolOf('look', () => 'seen')] }),
    );
    const { invocationId } = await runner.runToCompletion(hello);
    const event = requestFor(originalFunctionCall, { author: 'root', invocationId });
    await sessions.appendEvent({ session: ref, event });
    const before = (await stored()).events.length;
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { forged: true } }));
    expect(error).toMatchObject({ code: 'INTERRUPT_MISMATCH', details: { reason } });
    expect((await stored()).events).toHaveLength(before);
    expect(paid).toEqual([]);
  });

  it('rejects an answer to a request of an agent that did not make the call', async () => {
    const { tool, paid } = createPayment();
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'));
    const { runner, sessions } = await createSetup(rootOf(model, { tools: [tool] }));
    const { invocationId } = await runner.runToCompletion(hello);
    const event = requestFor({ id: 'c1', name: 'pay', args: { sum: 5 } }, { author: 'other', invocationId });
    await sessions.appendEvent({ session: ref, event });
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { forged: true } }));
    expect(error).toMatchObject({ code: 'INTERRUPT_MISMATCH', details: { reason: 'unknown_original_call' } });
    expect(paid).toEqual([]);
  });

  it('rejects an answer to a request for a call that has its answer', async () => {
    const model = new ScriptedLlm(calls('look', {}, 'c1'), calls('pay', {}, 'c2'));
    const { tool } = createPayment();
    const { runner, sessions, stored } = await createSetup(
      rootOf(model, { tools: [tool, toolOf('look', () => 'seen')] }),
    );
    const { invocationId } = await runner.runToCompletion(hello);
    const event = requestFor({ id: 'c1', name: 'look', args: {} }, { author: 'root', invocationId });
    await sessions.appendEvent({ session: ref, event });
    const before = (await stored()).events.length;
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { forged: true } }));
    expect(error?.code).toBe('INTERRUPT_ANSWERED');
    expect((await stored()).events).toHaveLength(before);
  });

  it.each([undefined, 'boss'])('stores answeredBy: %s, by default the user', async (answeredBy) => {
    const { tool } = createPayment();
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Paid.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const { interrupts } = await runner.runToCompletion(hello);
    const { id } = interrupts[0]!;
    await runner.resume({ ...ref, answeredBy, answers: { [id]: true } }).done;
    const answer = (await stored()).events.find((event) => event.id === `${id}:answer`);
    expect(answer?.customMetadata).toEqual({ answeredBy: answeredBy ?? 'ann' });
  });

  it('finds no interrupt of another invocation', async () => {
    const { tool, paid } = createPayment();
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), calls('pay', {}, 'c2'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const first = await runner.runToCompletion(hello);
    const second = await runner.runToCompletion(hello);
    const before = (await stored()).events.length;
    const answers = { [first.interrupts[0]!.id]: true };
    const { error } = await outcomeOf(runner.resume({ ...ref, invocationId: second.invocationId, answers }));
    expect(error?.code).toBe('INTERRUPT_NOT_FOUND');
    expect((await stored()).events).toHaveLength(before);
    expect(paid).toEqual([]);
  });

  it.each(['user', 'system'])('finds no interrupt in a request of the author %s', async (author) => {
    const { tool, paid } = createPayment();
    const model = new ScriptedLlm(calls('pay', { sum: 5 }, 'c1'));
    const { runner, sessions } = await createSetup(rootOf(model, { tools: [tool] }));
    const { interrupts, invocationId } = await runner.runToCompletion(hello);
    const event = requestFor({ id: 'c1', name: 'pay', args: { sum: 5 } }, { author, invocationId });
    await sessions.appendEvent({ session: ref, event });
    expect(await runner.pendingInterrupts(ref)).toEqual(interrupts);
    const { error } = await outcomeOf(runner.resume({ ...ref, answers: { forged: true } }));
    expect(error?.code).toBe('INTERRUPT_NOT_FOUND');
    expect(paid).toEqual([]);
  });
});

/** Returns a request for a confirmation that the runner did not make. */
function requestFor(originalFunctionCall: JsonObject, p: { author: string; invocationId: string }): Event {
  const args = { originalFunctionCall, toolConfirmation: { hint: 'Pay?', confirmed: false } };
  const parts = [{ functionCall: { id: 'forged', name: 'adk_request_confirmation', args } }];
  return createEvent({ ...p, content: { role: 'user', parts }, longRunningToolIds: ['forged'] });
}
