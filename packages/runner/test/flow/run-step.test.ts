import { getFunctionCalls, textOf } from '@thole/core';
import type { FunctionDeclaration, LlmResponse, Part } from '@thole/core';
import { calls, callsAll, fails, modelNamed, says, ScriptedLlm, streams, thinks } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import {
  answersIn,
  hello,
  createSetup,
  outcomeOf,
  passing,
  rootOf,
  stringsSchema,
  textsIn,
  toolOf,
} from '../support/llm-setup.ts';

describe('A turn of an LlmAgent', () => {
  it('answers, and sends the complete conversation in the next turn', async () => {
    const model = new ScriptedLlm(says('Hi.'), says('Again.'));
    const { runner } = await createSetup(rootOf(model));
    await runner.runToCompletion(hello);
    const { text } = await runner.runToCompletion({ ...hello, newMessage: 'and?' });
    expect(text).toBe('Again.');
    expect(model.requests[1]!.contents.map((content) => [content.role, textOf(content)])).toEqual([
      ['user', 'hello'],
      ['model', 'Hi.'],
      ['user', 'and?'],
    ]);
    model.assertDone();
  });

  it('finds a model by its name in the factories of the runner', async () => {
    const model = new ScriptedLlm(says('Hi.'));
    const agent = new LlmAgent({ name: 'root', model: 'some-model' });
    const { runner } = await createSetup(agent, { models: [modelNamed('some-model', model)] });
    expect((await runner.runToCompletion(hello)).text).toBe('Hi.');
  });

  it('runs tools and calls the model again with their answers, in call order (contract 18)', async () => {
    const model = new ScriptedLlm(callsAll(['slow', {}, 'a'], ['fast', {}, 'b']), says('Done.'));
    let release = (): void => {};
    const slow = toolOf('slow', () => new Promise((resolve) => (release = () => resolve('slow one'))));
    const fast = toolOf('fast', () => {
      queueMicrotask(() => release());
      return { quick: true };
    });
    const { runner, stored } = await createSetup(rootOf(model, { tools: [slow, fast] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    // Each answer is a separate event, which is stored as soon as it is ready.
    expect(answersIn(events)).toEqual([
      ['fast', { quick: true }],
      ['slow', { result: 'slow one' }],
    ]);
    const [, , answers] = model.requests[1]!.contents;
    expect(answers!.parts!.map((part) => part.functionResponse!.name)).toEqual(['slow', 'fast']);
    expect((await stored()).events.length).toBe(5);
  });

  it('yields partial and complete events with one id, and stores only the complete (contract 15)', async () => {
    const model = new ScriptedLlm(streams('Hel', 'lo'));
    const { runner, stored } = await createSetup(rootOf(model));
    const events = await Array.fromAsync(runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } }));
    expect(textsIn(events)).toEqual(['root: Hel', 'root: lo', 'root: Hello']);
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(events.map(({ partial }) => partial)).toEqual([true, true, undefined]);
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'root: Hello']);
  });

  it('creates an id for a call without one, only in the complete event, and runs it once', async () => {
    let ran = 0;
    const model = new ScriptedLlm([...streams('Let me ', 'see.').slice(0, 2), calls('look')], says('Seen.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => ++ran)] }));
    const events = await Array.fromAsync(runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } }));
    const withCalls = events.filter((event) => getFunctionCalls(event).length > 0);
    expect(withCalls.length).toBe(1);
    expect(getFunctionCalls(withCalls[0]!)[0]!.id).toMatch(/^thole-call-/);
    expect(ran).toBe(1);
  });

  it('creates unique ids for calls of a model that numbers them again in each answer', async () => {
    const model = new ScriptedLlm(calls('look', { n: 1 }, 'call_0'), calls('look', { n: 2 }, 'call_0'), says('Seen.'));
    const seen: unknown[] = [];
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', ({ n }) => seen.push(n))] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    const ids = events.flatMap((event) => getFunctionCalls(event).map(({ id }) => id));
    expect(new Set(ids).size).toBe(2);
    expect(seen).toEqual([1, 2]);
  });

  it('runs a call only once if an answer contains it twice (contract 18)', async () => {
    let ran = 0;
    const model = new ScriptedLlm(callsAll(['look', { n: 1 }, 'a'], ['look', { n: 1 }, 'a']), says('Seen.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => ++ran)] }));
    await runner.runToCompletion(hello);
    expect(ran).toBe(1);
  });

  it('forces a call only in the first step', async () => {
    const model = new ScriptedLlm(calls('look'), says('Seen.'));
    const generateContentConfig = {
      toolConfig: { functionCallingConfig: { mode: 'ANY' as const, allowedFunctionNames: ['look'] } },
    };
    const { runner } = await createSetup(rootOf(model, { generateContentConfig, tools: [toolOf('look', () => 1)] }));
    await runner.runToCompletion(hello);
    expect(model.requests.map(({ config }) => config.toolConfig!.functionCallingConfig!.mode)).toEqual(['ANY', 'AUTO']);
  });

  it('ends with LLM_CALL_LIMIT after maxLlmCalls model calls of the invocation (contract 19)', async () => {
    const model = new ScriptedLlm(calls('look'), calls('look'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    const { error } = await outcomeOf(runner.runAsync({ ...hello, runConfig: { maxLlmCalls: 2 } }));
    expect(error?.code).toBe('LLM_CALL_LIMIT');
  });

  it('ends with MODEL_STUCK after three calls of an unknown tool (contract 18)', async () => {
    const model = new ScriptedLlm(calls('made_up'), calls('made_up'), calls('made_up'), says('Back.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error?.code).toBe('MODEL_STUCK');
    expect(answersIn(events).map(([, { error: sentence }]) => sentence)).toEqual(
      Array.from({ length: 3 }, () => 'There is no tool made_up. The tools are: look.'),
    );
    expect((await runner.runToCompletion(hello)).text).toBe('Back.');
  });

  it('resets the count of stuck steps after a valid call', async () => {
    const model = new ScriptedLlm(calls('x'), calls('x'), calls('look'), calls('x'), calls('x'), says('Done.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    expect((await runner.runToCompletion(hello)).text).toBe('Done.');
  });

  it('calls the model again after a code result, and ends after three in a row', async () => {
    const parts = [{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '4' } }];
    const result: LlmResponse = { content: { role: 'model', parts: parts as Part[] } };
    const model = new ScriptedLlm(result, result, says('It is 4.'), result, result, result);
    const { runner } = await createSetup(rootOf(model));
    expect((await runner.runToCompletion(hello)).text).toBe('It is 4.');
    expect((await outcomeOf(runner.runAsync(hello))).events).toHaveLength(3);
    model.assertDone();
  });

  it('stores its answer without thoughts under outputKey, before afterAgentCallback (contract 20)', async () => {
    const model = new ScriptedLlm(thinks('Hm.', 'Hi.'));
    let seen: unknown;
    const agent = rootOf(model, {
      outputKey: 'greeting',
      afterAgentCallback: ({ state }) => void (seen = state.get('greeting')),
    });
    const { runner, stored } = await createSetup(agent);
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ greeting: 'Hi.' });
    expect(seen).toBe('Hi.');
  });

  it('stores the answer of beforeAgentCallback under outputKey (contract 20)', async () => {
    const beforeAgentCallback = () => ({ parts: [{ text: 'Closed.' }] });
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(), { outputKey: 'kept', beforeAgentCallback }));
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ kept: 'Closed.' });
  });

  it.each(['agent', 'plugin'])(
    'keeps outputKey if afterAgentCallback of the %s adds an answer (contract 20)',
    async (owner) => {
      const afterAgentCallback = () => ({ parts: [{ text: 'Rated 5 of 5.' }] });
      const agent = rootOf(new ScriptedLlm(says('Hi.')), {
        outputKey: 'greeting',
        ...(owner === 'agent' && { afterAgentCallback }),
      });
      const plugins = owner === 'plugin' ? [{ name: 'rating', afterAgentCallback }] : [];
      const { runner, stored } = await createSetup(agent, { plugins });
      const events = await Array.fromAsync(runner.runAsync(hello));
      expect(textsIn(events)).toEqual(['root: Hi.', 'root: Rated 5 of 5.']);
      expect((await stored()).state).toEqual({ greeting: 'Hi.' });
    },
  );

  it('stores nothing under outputKey for partials, calls or errors (contract 20)', async () => {
    const deltas: unknown[] = [];
    const plugin = {
      name: 'listener',
      onEventCallback: ({ event }: { event: import('@thole/core').Event }) =>
        void deltas.push(event.actions.stateDelta),
    };
    const model = new ScriptedLlm([...streams('a', 'b').slice(0, 2), calls('look')], {
      ...says('half of'),
      errorCode: 'MODEL_BLOCKED',
    });
    const { runner, stored } = await createSetup(
      rootOf(model, { outputKey: 'kept', tools: [toolOf('look', () => 1)] }),
      {
        plugins: [plugin],
      },
    );
    await runner.runToCompletion({ ...hello, runConfig: { streamingMode: 'sse' } });
    expect(deltas.every((delta) => JSON.stringify(delta) === '{}')).toBe(true);
    expect((await stored()).state).toEqual({});
  });

  it('never stores the answer of another agent under its outputKey (contract 20)', async () => {
    const child = new LlmAgent({ name: 'child', model: new ScriptedLlm(says('I am the child.')) });
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'child' }));
    const { runner, stored } = await createSetup(rootOf(model, { outputKey: 'mine', subAgents: [child] }));
    expect((await runner.runToCompletion(hello)).text).toBe('I am the child.');
    expect((await stored()).state).toEqual({});
  });

  it('stores the answer that a plugin changed, also under outputKey (contract 16)', async () => {
    const plugin = {
      name: 'redact',
      onEventCallback: ({ event }: { event: import('@thole/core').Event }) =>
        event.author === 'root'
          ? { ...event, content: { role: 'model' as const, parts: [{ text: '***' }] } }
          : undefined,
    };
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(says('secret')), { outputKey: 'kept' }), {
      plugins: [plugin],
    });
    await runner.runToCompletion(hello);
    expect((await stored()).state).toEqual({ kept: '***' });
  });

  it('runs a call with the arguments that a plugin changed (contract 16)', async () => {
    const seen: unknown[] = [];
    const plugin = {
      name: 'redact',
      onEventCallback: ({ event }: { event: import('@thole/core').Event }) =>
        getFunctionCalls(event).length > 0
          ? {
              ...event,
              content: {
                role: 'model' as const,
                parts: [{ functionCall: { ...getFunctionCalls(event)[0]!, args: { card: '***' } } }],
              },
            }
          : undefined,
    };
    const model = new ScriptedLlm(calls('pay', { card: '4711' }), says('Paid.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('pay', (args) => void seen.push(args))] }), {
      plugins: [plugin],
    });
    await runner.runToCompletion(hello);
    expect(seen).toEqual([{ card: '***' }]);
  });

  it('runs no call of an answer that a plugin dropped', async () => {
    let ran = 0;
    const plugin = {
      name: 'drop',
      onEventCallback: ({ event }: { event: import('@thole/core').Event }) =>
        getFunctionCalls(event).length > 0 ? null : undefined,
    };
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('look')), { tools: [toolOf('look', () => ++ran)] }),
      {
        plugins: [plugin],
      },
    );
    await runner.runToCompletion(hello);
    expect(ran).toBe(0);
  });

  it('works in the next turn after an error of the model (contract 22)', async () => {
    const model = new ScriptedLlm(fails('MODEL_OVERLOADED'), says('Back.'));
    const { runner, stored } = await createSetup(rootOf(model));
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('MODEL_OVERLOADED');
    expect((await runner.runToCompletion(hello)).text).toBe('Back.');
    expect((await stored()).events[1]!.errorCode).toBe('MODEL_OVERLOADED');
  });
});

describe('LlmAgent with outputSchema', () => {
  const outputSchema = stringsSchema('city');

  /** Returns the schema of `set_model_response` in the first request. */
  function answerSchemaIn(model: ScriptedLlm): unknown {
    const [tools] = model.requests[0]!.config.tools as { functionDeclarations: FunctionDeclaration[] }[];
    const declarations = tools!.functionDeclarations;
    return declarations.find(({ name }) => name === 'set_model_response')!.parametersJsonSchema;
  }

  it('sends the schema to the provider without tools, and stores the parsed answer (contract 20)', async () => {
    const model = new ScriptedLlm(says('{"city":"Oslo"}'));
    const { runner, stored } = await createSetup(rootOf(model, { outputSchema, outputKey: 'where' }));
    expect((await runner.runToCompletion(hello)).output).toEqual({ city: 'Oslo' });
    expect(model.requests[0]!.config).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: { required: ['city'] },
    });
    expect((await stored()).state).toEqual({ where: { city: 'Oslo' } });
  });

  it('sends the definition to which the root of the schema refers', async () => {
    const $defs = { City: { type: 'object', properties: { near: { $ref: '#/$defs/City' } } } };
    const referring = { jsonSchema: { $ref: '#/$defs/City', $defs }, schema: passing };
    const model = new ScriptedLlm(says('{}'));
    const { runner } = await createSetup(rootOf(model, { outputSchema: referring }));
    await runner.runToCompletion(hello);
    expect(model.requests[0]!.config.responseJsonSchema).toEqual({ ...$defs.City, $defs });
  });

  it('tells the model that its answer was cut off at the limit of tokens', async () => {
    const cut = { ...says('{"city":"Os'), finishReason: 'MAX_TOKENS' as const };
    const model = new ScriptedLlm(cut, says('{"city":"Oslo"}'));
    const { runner } = await createSetup(rootOf(model, { outputSchema }));
    expect((await runner.runToCompletion(hello)).output).toEqual({ city: 'Oslo' });
    expect(textOf(model.requests[1]!.contents.at(-1))).toContain('reached the limit of output tokens');
  });

  it('declares set_model_response next to other tools, and its call ends the turn', async () => {
    const model = new ScriptedLlm(calls('look'), calls('set_model_response', { city: 'Oslo' }));
    const { runner, stored } = await createSetup(
      rootOf(model, { outputSchema, outputKey: 'where', tools: [toolOf('look', () => 1)] }),
    );
    expect((await runner.runToCompletion(hello)).output).toEqual({ city: 'Oslo' });
    expect(model.requests[0]!.config.responseJsonSchema).toBeUndefined();
    expect((await stored()).state).toEqual({ where: { city: 'Oslo' } });
  });

  it('declares set_model_response with the members of a schema whose root is a reference', async () => {
    const city = { type: 'object', properties: { city: { type: 'string' } } };
    const $defs = { City: city };
    const referring = { jsonSchema: { $ref: '#/$defs/City', $defs }, schema: passing };
    const model = new ScriptedLlm(calls('set_model_response', { city: 'Oslo' }));
    const { runner } = await createSetup(rootOf(model, { outputSchema: referring, tools: [toolOf('look', () => 1)] }));
    expect((await runner.runToCompletion(hello)).output).toEqual({ city: 'Oslo' });
    expect(answerSchemaIn(model)).toEqual({ ...city, $defs });
  });

  it('declares set_model_response with references to the wrapped root of a recursive schema', async () => {
    const items = { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/Leaf' }, { $ref: '#/items/anyOf/1' }] };
    const $defs = { Leaf: { type: 'array', items: { $ref: '#' } } };
    const tree = { jsonSchema: { type: 'array', items, $defs }, schema: passing };
    const model = new ScriptedLlm(calls('set_model_response', { response: [[]] }));
    const { runner } = await createSetup(rootOf(model, { outputSchema: tree, tools: [toolOf('look', () => 1)] }));
    expect((await runner.runToCompletion(hello)).output).toEqual([[]]);
    const root = '#/$defs/set_model_response';
    expect(answerSchemaIn(model)).toEqual({
      type: 'object',
      properties: { response: { $ref: root } },
      required: ['response'],
      $defs: {
        Leaf: { type: 'array', items: { $ref: root } },
        set_model_response: {
          type: 'array',
          items: { anyOf: [{ $ref: root }, { $ref: '#/$defs/Leaf' }, { $ref: `${root}/items/anyOf/1` }] },
        },
      },
    });
  });

  it('tells the model that it left out the member that contains a list', async () => {
    const list = { jsonSchema: { type: 'array', items: {} }, schema: passing };
    const answers = [calls('set_model_response', { items: [] }), calls('set_model_response', { response: [] })];
    const model = new ScriptedLlm(...answers);
    const { runner } = await createSetup(rootOf(model, { outputSchema: list, tools: [toolOf('look', () => 1)] }));
    expect((await runner.runToCompletion(hello)).output).toEqual([]);
    expect(model.requests[1]!.contents.at(-1)!.parts![0]!.functionResponse!.response).toEqual({
      error: 'The answer does not fit: response: is required.',
    });
  });

  it('ends the run with OUTPUT_INVALID and logs the error if the schema throws for each call', async () => {
    const validate = (): never => {
      throw new Error('The database is down.');
    };
    const failing = { ...outputSchema, schema: { '~standard': { version: 1 as const, vendor: 'test', validate } } };
    const model = new ScriptedLlm(...Array.from({ length: 9 }, () => calls('set_model_response', { city: 'Oslo' })));
    const setup = await createSetup(rootOf(model, { outputSchema: failing, tools: [toolOf('look', () => 1)] }));
    expect((await outcomeOf(setup.runner.runAsync(hello))).error?.code).toBe('OUTPUT_INVALID');
    expect(model.requests.length).toBe(3);
    expect(JSON.stringify(setup.runtime.logs)).toContain('The database is down.');
  });

  it('declares set_model_response with the definitions of a list at the root of its schema', async () => {
    const $defs = { City: { type: 'object' } };
    const jsonSchema = { type: 'array', items: { $ref: '#/$defs/City' }, $defs };
    const cities = { jsonSchema, schema: passing };
    const model = new ScriptedLlm(calls('set_model_response', { response: [{}] }));
    const { runner } = await createSetup(rootOf(model, { outputSchema: cities, tools: [toolOf('look', () => 1)] }));
    expect((await runner.runToCompletion(hello)).output).toEqual([{}]);
    expect(answerSchemaIn(model)).toEqual({
      type: 'object',
      properties: { response: { type: 'array', items: { $ref: '#/$defs/City' } } },
      required: ['response'],
      $defs,
    });
  });

  it('sends an invalid answer back to the model at most twice, and does not store it (contract 20)', async () => {
    const model = new ScriptedLlm(says('Oslo'), says('{"town":"Oslo"}'), says('```json\n{"city":"Oslo"}\n```'));
    const { runner, stored } = await createSetup(rootOf(model, { outputSchema }));
    expect((await runner.runToCompletion(hello)).text).toBe('{"city":"Oslo"}');
    expect(textOf(model.requests[1]!.contents.at(-1))).toBe('The answer must be only JSON.');
    expect(textOf(model.requests[2]!.contents.at(-1))).toBe('The answer does not fit: city: expected string.');
    expect(model.requests[2]!.contents.length).toBe(3);
    expect((await stored()).events.length).toBe(2);
  });

  it('adds the tokens of invalid answers to the usage of the valid answer (contract 20)', async () => {
    const counted = (text: string, totalTokenCount: number) => ({
      ...says(text),
      usageMetadata: { promptTokenCount: 1, totalTokenCount },
    });
    const model = new ScriptedLlm(counted('Oslo', 10), counted('{}', 20), {
      ...counted('{"city":"Oslo"}', 30),
      usageMetadata: { totalTokenCount: 30, thoughtsTokenCount: 3 },
    });
    const { runner, stored } = await createSetup(rootOf(model, { outputSchema }));
    const total = { promptTokenCount: 2, totalTokenCount: 60, thoughtsTokenCount: 3 };
    expect((await runner.runToCompletion(hello)).usage).toEqual(total);
    expect((await stored()).events[1]!.usageMetadata).toEqual(total);
  });

  it('returns no output if the answer of a callback is not JSON, and returns its text', async () => {
    const beforeAgentCallback = () => ({ parts: [{ text: 'Closed.' }] });
    const { runner } = await createSetup(rootOf(new ScriptedLlm(), { outputSchema, beforeAgentCallback }));
    expect(await runner.runToCompletion(hello)).toMatchObject({ text: 'Closed.', output: undefined });
  });

  it('counts the tokens of an invalid answer once, in the next stored event (contract 20)', async () => {
    const counted = { usageMetadata: { totalTokenCount: 1 } };
    const model = new ScriptedLlm(
      { ...says('Oslo'), ...counted },
      { ...calls('made_up'), ...counted },
      { ...says('{"city":"Oslo"}'), ...counted },
    );
    const { runner, stored } = await createSetup(rootOf(model, { outputSchema }));
    expect((await runner.runToCompletion(hello)).usage).toEqual({ totalTokenCount: 3 });
    expect((await stored()).events.flatMap(({ usageMetadata }) => usageMetadata?.totalTokenCount ?? [])).toEqual([
      2, 1,
    ]);
  });

  it('reports the tokens of all attempts in the error, and not in the next turn (contract 20)', async () => {
    const bad = { ...says('x'), usageMetadata: { totalTokenCount: 5 } };
    const model = new ScriptedLlm(bad, bad, bad, { ...says('{"city":"Oslo"}'), usageMetadata: { totalTokenCount: 1 } });
    const { runner } = await createSetup(rootOf(model, { outputSchema }));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({ code: 'OUTPUT_INVALID', details: { usageMetadata: { totalTokenCount: 15 } } });
    expect((await runner.runToCompletion(hello)).usage).toEqual({ totalTokenCount: 1 });
  });

  it.each([
    ['as text', [says('a'), says('b'), says('c')], []],
    ['as calls', Array.from({ length: 3 }, () => calls('set_model_response', {})), [toolOf('look', () => 1)]],
  ])('ends the run with OUTPUT_INVALID if no answer is valid, %s (contract 20)', async (_name, answers, tools) => {
    const model = new ScriptedLlm(...answers, says('{"city":"Oslo"}'));
    const { runner } = await createSetup(rootOf(model, { outputSchema, tools }));
    expect((await outcomeOf(runner.runAsync(hello))).error?.code).toBe('OUTPUT_INVALID');
    expect((await runner.runToCompletion(hello)).output).toEqual({ city: 'Oslo' });
  });

  it.each([
    ['as text', says('{"city":"Oslo"}'), []],
    ['as a call', calls('set_model_response', { city: 'Oslo' }), [toolOf('look', () => 1)]],
  ])('rejects a value of the schema that is not JSON, %s (contract 5)', async (_name, answer, tools) => {
    const validate = (): { value: unknown } => ({ value: { city: new Set(['Oslo']) } });
    const toSet = { ...outputSchema, schema: { '~standard': { version: 1 as const, vendor: 'test', validate } } };
    const { runner } = await createSetup(rootOf(new ScriptedLlm(answer), { outputSchema: toSet, tools }));
    expect((await outcomeOf(runner.runAsync(hello))).error).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('output.city is a Set'),
    });
  });
});

describe('A transfer', () => {
  it('runs the other agent in the same invocation and for the next message (contract 29)', async () => {
    const other = new LlmAgent({
      name: 'other',
      description: 'Knows rooms.',
      model: new ScriptedLlm(says('Rooms!'), says('More rooms!')),
    });
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'other' }));
    const { runner } = await createSetup(rootOf(model, { subAgents: [other] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(events.map(({ author }) => author)).toEqual(['root', 'root', 'other']);
    expect(events[1]!.actions.transferToAgent).toBe('other');
    expect(new Set(events.map(({ invocationId }) => invocationId)).size).toBe(1);
    expect((await runner.runToCompletion(hello)).text).toBe('More rooms!');
  });

  it('uses the nearest model above an agent without a model', async () => {
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'other' }), says('Me too.'));
    const { runner } = await createSetup(rootOf(model, { subAgents: [new LlmAgent({ name: 'other' })] }));
    expect((await runner.runToCompletion(hello)).text).toBe('Me too.');
  });

  it('returns the possible targets to a model that names an unknown target', async () => {
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'nobody' }), says('Myself, then.'));
    const { runner } = await createSetup(rootOf(model, { subAgents: [new LlmAgent({ name: 'other' })] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)).toEqual([['transfer_to_agent', { error: 'agentName must be one of other.' }]]);
  });

  it('shows the user’s message to an agent with includeContents: none', async () => {
    const inner = new ScriptedLlm(says('Rooms!'));
    const other = new LlmAgent({ name: 'other', model: inner, includeContents: 'none' });
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('transfer_to_agent', { agentName: 'other' })), { subAgents: [other] }),
    );
    await runner.runToCompletion(hello);
    expect(textOf(inner.requests[0]!.contents[0])).toBe('hello');
  });
});

describe('Long-running calls', () => {
  const later = toolOf('approve', () => ({ status: 'asked' }), { isLongRunning: true });

  it('pause the invocation, and the answer continues it (contract 28)', async () => {
    const model = new ScriptedLlm(calls('approve', {}, 'c1'), says('Approved.'));
    const { runner } = await createSetup(rootOf(model, { tools: [later] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(events[0]!.longRunningToolIds).toEqual(['c1']);
    expect(answersIn(events)).toEqual([['approve', { status: 'asked' }]]);
    const answer = {
      role: 'user' as const,
      parts: [{ functionResponse: { id: 'c1', name: 'approve', response: { ok: true } } }],
    };
    expect((await runner.runToCompletion({ ...hello, newMessage: answer })).text).toBe('Approved.');
    expect(model.requests[1]!.contents[2]!.parts![0]!.functionResponse!.response).toEqual({ ok: true });
  });

  it('have no answer if the tool returns nothing, and store its state', async () => {
    const silent = toolOf('approve', (_args, { state }) => state.set('asked', true), { isLongRunning: true });
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(calls('approve')), { tools: [silent] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(answersIn(events)).toEqual([]);
    expect((await stored()).state).toEqual({ asked: true });
  });

  it('do not prevent the model call for other calls of the turn', async () => {
    const model = new ScriptedLlm(callsAll(['approve'], ['look']), says('Looked; approval is pending.'));
    const { runner } = await createSetup(rootOf(model, { tools: [later, toolOf('look', () => 1)] }));
    expect((await runner.runToCompletion(hello)).text).toBe('Looked; approval is pending.');
  });
});
