import { createEvent, silentTracer, TholeError } from '@thole/core';
import { silentSpan } from '@thole/core/kit';
import type { Agent, Event, JsonObject, Llm, LlmRequest, Span, SpanAttributes, Tracer } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import {
  calls,
  callsAll,
  fails,
  FixedRuntime,
  hangs,
  ignores,
  RecordingTracer,
  says,
  ScriptedLlm,
  streams,
} from '@thole/testing';
import type { RecordedSpan } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import type { RunnerOptions } from '../../src/runner/runner-options.ts';
import { withChangedLease } from '../support/setup.ts';
import { hello, outcomeOf, ref, rootOf, settle, toolOf } from '../support/llm-setup.ts';

interface TracedSetup {
  tracer: RecordingTracer;
  runtime: FixedRuntime;
  sessions: InMemorySessionService;
  runner: Runner;
  /** Runs a message to its end. Returns the events and the error of the run. */
  run(more?: object): Promise<{ events: Event[]; error: { code?: string } | undefined }>;
}

async function createTracedSetup(
  agent: Agent,
  options: Partial<RunnerOptions> & { capturesContent?: boolean } = {},
): Promise<TracedSetup> {
  const { capturesContent, ...more } = options;
  const tracer = new RecordingTracer({ capturesContent });
  const runtime = new FixedRuntime({ tracer });
  const sessions = new InMemorySessionService({ runtime });
  await sessions.createSession(ref);
  const all = { appName: 'app', agent, sessionService: sessions, runtime, ...more };
  const runner = new Runner(all as RunnerOptions);
  const run = (request: object = {}): ReturnType<TracedSetup['run']> =>
    outcomeOf(runner.runAsync({ ...hello, ...request }));
  return { tracer, runtime, sessions, runner, run };
}

/** Expects that each span has ended exactly once. */
function expectEnded({ spans }: RecordingTracer): void {
  expect(spans.map(({ name, ends }) => `${name}: ${ends}`)).toEqual(spans.map(({ name }) => `${name}: 1`));
}

function errorTypes({ spans }: RecordingTracer): (string | undefined)[][] {
  return spans.map(({ name, attributes, error }) => [
    name,
    attributes['error.type'] as string | undefined,
    ...(error === undefined ? ['no error'] : []),
  ]);
}

const look = toolOf('look', () => ({ seen: 'the sea' }));

describe('Spans of a run', () => {
  it('are an invocation, its agents, their model calls and tools, nested (F183)', async () => {
    const model = new ScriptedLlm(calls('look', { where: 'out' }, 'c1'), says('The sea.'));
    const { tracer, run } = await createTracedSetup(rootOf(model, { tools: [look] }));
    await run();
    expect(tracer.outline()).toEqual([
      'invocation',
      '  invoke_agent root',
      `    generate_content ${model.model}`,
      '    execute_tool look',
      `    generate_content ${model.model}`,
    ]);
    expectEnded(tracer);
  });

  it('contain names, ids and counts for the GenAI conventions and the web UI of ADK (F183)', async () => {
    const answer = {
      content: { role: 'model' as const, parts: [{ text: 'The sea.' }] },
      finishReason: 'STOP',
      modelVersion: 'script-2',
      usageMetadata: {
        promptTokenCount: 10,
        toolUsePromptTokenCount: 1,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 2,
        cachedContentTokenCount: 4,
        cacheCreationTokenCount: 3,
        totalTokenCount: 18,
      },
    };
    const model = new ScriptedLlm(calls('look', { where: 'out' }, 'c1'), answer);
    const named: Llm = {
      model: model.model,
      specVersion: 1,
      providerName: 'acme',
      generateContentAsync: (request, options) => model.generateContentAsync(request, options),
    };
    const generateContentConfig = {
      temperature: 0.2,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 100,
      seed: 7,
      stopSequences: ['END'],
    };
    const agent = rootOf(named, { description: 'Looks.', tools: [look], generateContentConfig });
    const { tracer, run } = await createTracedSetup(agent);
    const { events } = await run();
    const ids = {
      'gen_ai.conversation.id': 's',
      'gcp.vertex.agent.session_id': 's',
      'gcp.vertex.agent.invocation_id': events[0]!.invocationId,
    };
    const [invocation, invokeAgent, first, tool, second] = tracer.spans.map(({ attributes }) => attributes);
    expect(invocation).toEqual({
      ...ids,
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'app',
      'user.id': 'ann',
    });
    expect(invokeAgent).toEqual({
      ...ids,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'root',
      'gen_ai.agent.description': 'Looks.',
      'gen_ai.provider.name': 'acme',
      'gen_ai.request.model': model.model,
    });
    const request = {
      ...ids,
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.provider.name': 'acme',
      'gen_ai.request.model': model.model,
      'gen_ai.request.temperature': 0.2,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.top_k': 40,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.seed': 7,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.agent.name': 'root',
    };
    expect(first).toMatchObject({ ...request, 'gcp.vertex.agent.event_id': events[0]!.id });
    expect(second).toEqual({
      ...request,
      'gcp.vertex.agent.event_id': events[2]!.id,
      'gen_ai.response.model': 'script-2',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 11,
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.usage.reasoning.output_tokens': 2,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.cache_creation.input_tokens': 3,
    });
    expect(tool).toEqual({
      ...ids,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.description': 'Does look.',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.agent.name': 'root',
      'gcp.vertex.agent.event_id': events[1]!.id,
    });
  });

  it('have sub-agents below their agent, and branches next to each other', async () => {
    const [a, b] = ['a', 'b'].map((name) => new LlmAgent({ name, model: new ScriptedLlm(says(name)) }));
    const both = new ParallelAgent({ name: 'both', subAgents: [a!, b!] });
    const last = new LlmAgent({ name: 'last', model: new ScriptedLlm(says('z')) });
    const { tracer, run } = await createTracedSetup(new SequentialAgent({ name: 'plan', subAgents: [both, last] }));
    await run();
    expect(tracer.outline().map((line) => line.replace(/generate_content .*/, 'model'))).toEqual([
      'invocation',
      '  invoke_agent plan',
      '    invoke_agent both',
      '      invoke_agent a',
      '        model',
      '      invoke_agent b',
      '        model',
      '    invoke_agent last',
      '      model',
    ]);
    expectEnded(tracer);
  });

  it('have the run of an AgentTool below its call (contract 25)', async () => {
    const expert = new LlmAgent({ name: 'expert', model: new ScriptedLlm(says('Ask the porter.')) });
    const model = new ScriptedLlm(calls('expert', { request: 'Who?' }), says('The porter.'));
    const { tracer, run } = await createTracedSetup(rootOf(model, { tools: [new AgentTool({ agent: expert })] }));
    await run();
    expect(
      tracer
        .outline()
        .slice(3, 7)
        .map((line) => line.replace(/generate_content .*/, 'model')),
    ).toEqual(['    execute_tool expert', '      invocation', '        invoke_agent expert', '          model']);
    expectEnded(tracer);
  });

  it('have the target of a transfer below the agent that transferred', async () => {
    const clerk = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(says('Here.')) });
    const model = new ScriptedLlm(calls('transfer_to_agent', { agentName: 'clerk' }));
    const { tracer, run } = await createTracedSetup(rootOf(model, { subAgents: [clerk] }));
    expect((await run()).error).toBe(undefined);
    expect(tracer.named('invoke_agent clerk').parent).toBe(tracer.named('invoke_agent root'));
  });

  it('cover a complete stream, and contain the time to its first chunk', async () => {
    const pieces = streams('Hel', 'lo');
    const model: Llm = {
      model: 'slow',
      specVersion: 1,
      async *generateContentAsync() {
        for (const piece of pieces) {
          await runtime.sleep(1_500);
          yield piece;
        }
      },
    };
    const { tracer, runtime, runner } = await createTracedSetup(rootOf(model));
    const run = runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } });
    const first = run.next();
    await runtime.advance(1_500);
    expect((await first).value).toMatchObject({ partial: true });
    const span = tracer.named('generate_content slow');
    expect([span.ends, span.attributes['gen_ai.request.stream']]).toEqual([0, true]);
    const rest = Array.fromAsync(run);
    for (let piece = 1; piece < pieces.length; piece++) await runtime.advance(1_500);
    expect(span.attributes).toMatchObject({
      'gen_ai.response.time_to_first_chunk': 1.5,
      'gcp.vertex.agent.event_id': (await rest).at(-1)!.id,
    });
    expect(span.ends).toBe(1);
  });

  it('contain no model call if a callback answers instead', async () => {
    const agent = rootOf(new ScriptedLlm(), {
      beforeModelCallback: () => ({ content: { role: 'model', parts: [{ text: 'No.' }] } }),
    });
    const { tracer, run } = await createTracedSetup(agent);
    await run();
    expect(tracer.outline()).toEqual(['invocation', '  invoke_agent root']);
  });
});

describe('The span of a context', () => {
  it('is the span of the call or of the agent, and can be the parent of other spans', async () => {
    const seen: Span[] = [];
    const tool = toolOf('look', (_args, { span, runtime }) => {
      seen.push(span);
      runtime.tracer.start('query', {}, span).end();
    });
    const model = new ScriptedLlm(calls('look'), says('Done.'));
    const agent = rootOf(model, { tools: [tool], beforeAgentCallback: ({ span }) => void seen.push(span) });
    const { tracer, run } = await createTracedSetup(agent);
    await run();
    expect(seen.map(({ spanId }) => spanId)).toEqual(
      ['invoke_agent root', 'execute_tool look'].map((name) => tracer.named(name).spanId),
    );
    expect(tracer.named('query').parent).toBe(tracer.named('execute_tool look'));
  });

  it('is silent without a recording tracer', async () => {
    let seen: Span | undefined;
    const runtime = new FixedRuntime();
    const tool = toolOf('look', (_args, { span }) => void (seen = span));
    const model = new ScriptedLlm(calls('look'), says('Done.'));
    await (await createTracedSetup(rootOf(model, { tools: [tool] }), { runtime })).run();
    expect(runtime.tracer).toBe(silentTracer);
    expect(seen).toBe(silentSpan);
  });
});

describe('A silent tracer', () => {
  it('is never called', async () => {
    const names: string[] = [];
    const tracer: Tracer = { isSilent: true, start: (name) => (names.push(name), silentSpan) };
    const model = new ScriptedLlm(calls('look'), says('Done.'));
    const { error } = await (
      await createTracedSetup(rootOf(model, { tools: [look] }), { runtime: new FixedRuntime({ tracer }) })
    ).run();
    expect([names, error]).toEqual([[], undefined]);
  });
});

describe('A span of failed or stopped work', () => {
  it('ends with the error of a model, like the spans above it', async () => {
    const model = new ScriptedLlm(fails('MODEL_OVERLOADED'));
    const { tracer, run } = await createTracedSetup(rootOf(model));
    expect((await run()).error).toMatchObject({ code: 'MODEL_OVERLOADED' });
    expect(errorTypes(tracer)).toEqual([
      ['invocation', 'MODEL_OVERLOADED'],
      ['invoke_agent root', 'MODEL_OVERLOADED'],
      [`generate_content ${model.model}`, 'MODEL_OVERLOADED'],
    ]);
    expectEnded(tracer);
  });

  it('ends with the error of a tool, unlike the spans above it', async () => {
    const tools = [
      toolOf('look', () => {
        throw new RangeError('No view of 12 Elm Street.');
      }),
    ];
    const model = new ScriptedLlm(callsAll(['look', {}, 'c1'], ['nothing', {}, 'c2']), says('Sorry.'));
    const { tracer, run } = await createTracedSetup(rootOf(model, { tools }));
    const { events } = await run();
    expect(errorTypes(tracer)).toEqual([
      ['invocation', undefined, 'no error'],
      ['invoke_agent root', undefined, 'no error'],
      [`generate_content ${model.model}`, undefined, 'no error'],
      ['execute_tool look', 'RangeError'],
      ['execute_tool nothing', 'INVALID_INPUT'],
      [`generate_content ${model.model}`, undefined, 'no error'],
    ]);
    const answers = events.slice(1, 3).map(({ id }) => id);
    const recorded = ['look', 'nothing'].map((name) => tracer.named(`execute_tool ${name}`).attributes);
    expect(new Set(recorded.map((attributes) => attributes['gcp.vertex.agent.event_id']))).toEqual(new Set(answers));
    expectEnded(tracer);
  });

  it('ends with the error of a hook', async () => {
    const model = new ScriptedLlm(calls('look'));
    const beforeToolCallback = (): never => {
      throw new Error('Shut.');
    };
    const endsBefore: number[] = [];
    const afterRunCallback = (): void => void endsBefore.push(...tracer.spans.map(({ ends }) => ends));
    const { tracer, run, sessions } = await createTracedSetup(rootOf(model, { tools: [look], beforeToolCallback }), {
      plugins: [{ name: 'watch', afterRunCallback }],
    });
    await run();
    expect(endsBefore).toEqual([0, 1, 1, 1]);
    const { events } = (await sessions.getSession(ref))!;
    const recorded = tracer.named('execute_tool look').attributes['gcp.vertex.agent.event_id'];
    expect(events.find(({ id }) => id === recorded)?.content?.parts?.[0]).toHaveProperty('functionResponse');
    expect(errorTypes(tracer)).toEqual([
      ['invocation', 'CALLBACK_FAILED'],
      ['invoke_agent root', 'CALLBACK_FAILED'],
      [`generate_content ${model.model}`, undefined, 'no error'],
      ['execute_tool look', 'CALLBACK_FAILED'],
    ]);
    expectEnded(tracer);
  });

  it.each([
    ['obeys its signal', hangs()],
    ['ignores its signal', ignores()],
  ])('ends with the abort, also when a model %s (contract 23)', async (_, answer) => {
    const model = new ScriptedLlm(answer);
    const { tracer, runner } = await createTracedSetup(rootOf(model));
    const run = runner.runAsync(hello);
    const outcome = outcomeOf(run);
    await settle();
    run.abort();
    expect((await outcome).error).toMatchObject({ code: 'RUN_ABORTED' });
    expect(errorTypes(tracer)).toEqual([
      ['invocation', 'RUN_ABORTED'],
      ['invoke_agent root', 'RUN_ABORTED'],
      [`generate_content ${model.model}`, 'RUN_ABORTED'],
    ]);
    expectEnded(tracer);
  });

  it('ends after the spans below it', async () => {
    const ended: string[] = [];
    const tracer: Tracer = {
      start: (name) => ({ traceId: '', spanId: '', set() {}, end: () => void ended.push(name) }),
    };
    const runtime = new FixedRuntime({ tracer });
    const { runner } = await createTracedSetup(rootOf(new ScriptedLlm(ignores())), { runtime });
    const run = runner.runAsync(hello);
    const outcome = outcomeOf(run);
    await settle();
    run.abort();
    await outcome;
    expect(ended).toEqual(['generate_content scripted', 'invoke_agent root', 'invocation']);
  });

  it('does not start after the end of the run, for an agent that continues anyway', async () => {
    const gate = Promise.withResolvers<void>();
    const late = rootOf(new ScriptedLlm(says('late')));
    let wasLate = false;
    const stubborn: Agent = {
      name: 'stubborn',
      async *runAsync(context) {
        try {
          await gate.promise;
        } finally {
          wasLate = true;
          yield* context.runAgent(late);
        }
      },
    };
    const { tracer, runner } = await createTracedSetup(stubborn);
    const run = runner.runAsync(hello);
    const outcome = outcomeOf(run);
    await settle();
    run.abort();
    await outcome;
    gate.resolve();
    await settle();
    expect(wasLate).toBe(true);
    expect(tracer.outline()).toEqual(['invocation', '  invoke_agent stubborn']);
    expectEnded(tracer);
  });

  it('ends once, with the abort and the id of its answer, if a tool finishes too late', async () => {
    const gate = Promise.withResolvers<void>();
    const model = new ScriptedLlm(calls('look', {}, 'c1'));
    const { tracer, runner, sessions } = await createTracedSetup(
      rootOf(model, { tools: [toolOf('look', () => gate.promise)] }),
    );
    const run = runner.runAsync(hello);
    const outcome = outcomeOf(run);
    await settle();
    run.abort();
    await outcome;
    gate.resolve();
    await settle();
    const answer = (await sessions.getSession(ref))!.events.find(
      ({ content }) => content?.parts?.[0]?.functionResponse,
    );
    expect(tracer.named('execute_tool look').attributes).toMatchObject({
      'error.type': 'RUN_ABORTED',
      'gcp.vertex.agent.event_id': answer!.id,
    });
    expectEnded(tracer);
  });

  it('ends when the reader leaves, also during a stream (contract 23)', async () => {
    const { tracer, runner } = await createTracedSetup(rootOf(new ScriptedLlm(streams('Hel', 'lo'))));
    for await (const event of runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } })) {
      expect(event.partial).toBe(true);
      break;
    }
    expect(errorTypes(tracer).map(([, type]) => type)).toEqual(['RUN_LEFT', 'RUN_LEFT', 'RUN_LEFT']);
    expectEnded(tracer);
  });

  it('ends with RUN_ABANDONED without a reader (contract 23)', async () => {
    const { tracer, runner, runtime } = await createTracedSetup(rootOf(new ScriptedLlm(says('Hello?'))));
    const run = runner.runAsync(hello);
    await run.next();
    for (let minute = 0; minute < 7; minute++) await runtime.advance(60_000);
    await run.done;
    expect(tracer.named('invocation').attributes['error.type']).toBe('RUN_ABANDONED');
    expectEnded(tracer);
  });

  it('ends with LEASE_LOST if the lease is lost (contract 13)', async () => {
    const model = new ScriptedLlm(ignores());
    const setup = await createTracedSetup(rootOf(model));
    const gone = (): Promise<never> => Promise.reject(new TholeError('LEASE_LOST', 'Gone.'));
    const sessionService = withChangedLease(setup.sessions, { renew: gone });
    const { runtime, tracer } = setup;
    const runner = new Runner({ appName: 'app', agent: rootOf(model), sessionService, runtime });
    const outcome = outcomeOf(runner.runAsync(hello));
    await settle();
    for (let i = 0; i < 60; i++) await runtime.advance(1_000);
    expect((await outcome).error).toMatchObject({ code: 'LEASE_LOST' });
    expect(errorTypes(tracer).map(([, type]) => type)).toEqual(['LEASE_LOST', 'LEASE_LOST', 'LEASE_LOST']);
    expectEnded(tracer);
  });

  it('exists for a run that is rejected before it begins', async () => {
    const { tracer, run } = await createTracedSetup(rootOf(new ScriptedLlm()));
    expect((await run({ newMessage: 7 })).error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(errorTypes(tracer)).toEqual([['invocation', 'INVALID_INPUT']]);
    expectEnded(tracer);
  });

  it('belongs to the branch that fails, and spans of other branches end, too', async () => {
    const a: Agent = {
      name: 'a',
      async *runAsync() {
        throw new TholeError('INVALID_INPUT', 'a cannot.');
      },
    };
    const b: Agent = {
      name: 'b',
      async *runAsync({ invocationId, runtime }) {
        yield createEvent({ author: 'b', invocationId, content: { role: 'model', parts: [{ text: 'b' }] } }, runtime);
      },
    };
    const { tracer, run } = await createTracedSetup(new ParallelAgent({ name: 'both', subAgents: [a, b] }));
    expect((await run()).error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(tracer.named('invoke_agent a').attributes['error.type']).toBe('INVALID_INPUT');
    expectEnded(tracer);
  });
});

describe('Content of spans', () => {
  const secret = 'p4ssw0rd';
  const failing = toolOf('fail', () => {
    throw new Error(`Refused: ${secret}`);
  });
  const agentOf = (model: Llm): LlmAgent =>
    rootOf(model, { instruction: `Keep ${secret}.`, tools: [toolOf('look', () => ({ found: secret })), failing] });
  const scripted = (): ScriptedLlm =>
    new ScriptedLlm(
      callsAll(['look', { for: secret }, 'c1'], ['fail', { with: secret }, 'c2']),
      says(`It is ${secret}.`),
    );

  it('is in no span by default, nor in messages or stacks of errors (F183)', async () => {
    const { tracer, run } = await createTracedSetup(agentOf(scripted()));
    await run({ newMessage: secret });
    const recorded = tracer.spans.map(({ name, attributes, error }) => {
      const { message, stack, cause } = (error ?? {}) as Partial<Error>;
      return JSON.stringify([name, attributes, message, stack, cause]);
    });
    expect(recorded.filter((each) => each.includes(secret))).toEqual([]);
    expect(tracer.named('execute_tool fail')).toMatchObject({ error: { name: 'Error' } });
    expect((tracer.named('execute_tool fail').error as Error).stack).toContain('spans.test.ts');
  });

  it('is JSON in the attributes of ADK’s web UI with capturesContent (F183)', async () => {
    const model = scripted();
    const { tracer, run } = await createTracedSetup(agentOf(model), { capturesContent: true });
    const { events } = await run({ newMessage: secret });
    const [, , first, ofLook, ofFail] = tracer.spans;
    const read = (span: RecordedSpan, name: string): unknown =>
      JSON.parse(span.attributes[`gcp.vertex.agent.${name}`] as string);
    expect(read(first!, 'llm_request')).toEqual(JSON.parse(JSON.stringify(model.requests[0])));
    expect(read(first!, 'llm_response')).toMatchObject({ content: { parts: events[0]!.content!.parts } });
    expect(read(ofLook!, 'tool_call_args')).toEqual({ for: secret });
    expect(read(ofLook!, 'tool_response')).toEqual({ found: secret });
    expect(read(ofFail!, 'tool_response')).toEqual({ error: `Refused: ${secret}` });
    expect(ofFail!.error).toMatchObject({ message: `Refused: ${secret}` });
  });

  it('leaves out the bytes of files', async () => {
    const bytes = 'iVBORw0KGgo=';
    const inlineData = { mimeType: 'image/png', data: bytes };
    const { tracer, run } = await createTracedSetup(rootOf(new ScriptedLlm(says('A dot.'))), { capturesContent: true });
    await run({ newMessage: { role: 'user', parts: [{ text: 'What is it?' }, { inlineData }] } });
    const request = tracer.spans[2]!.attributes['gcp.vertex.agent.llm_request'] as string;
    expect(request).not.toContain(bytes);
    expect((JSON.parse(request) as LlmRequest).contents[0]!.parts).toEqual([
      { text: 'What is it?' },
      { inlineData: { mimeType: 'image/png', data: '' } },
    ]);
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('is serialized once per call, for any number of chunks (captured: %s)', async (capturesContent, times) => {
    let read = 0;
    const counting = {
      get title() {
        read++;
        return 'counted';
      },
    } as unknown as JsonObject;
    const agent = rootOf(new ScriptedLlm(streams('a', 'b', 'c', 'd')), {
      beforeModelCallback: ({ request }) => {
        request.config.responseJsonSchema = { a: counting };
      },
    });
    const { tracer, runner } = await createTracedSetup(agent, { capturesContent });
    // The scripted model copies its request. Its reads are not counted.
    const model = agent.model as ScriptedLlm;
    const unread: Llm = {
      model: model.model,
      specVersion: 1,
      generateContentAsync: (request, options) => {
        const before = read;
        expect(before).toBe(times);
        return model.generateContentAsync({ ...request, config: {} }, options);
      },
    };
    runner.agent = rootOf(unread, { beforeModelCallback: agent.beforeModelCallback });
    await Array.fromAsync(runner.runAsync({ ...hello, runConfig: { streamingMode: 'sse' } }));
    expect(read).toBe(times);
    expectEnded(tracer);
  });

  it('is not prepared for a silent span', async () => {
    const recorded: SpanAttributes[] = [];
    const quietSpan: Span = {
      traceId: '',
      spanId: '',
      isSilent: true,
      set: (attributes) => void recorded.push(attributes),
      end() {},
    };
    const tracer: Tracer = { capturesContent: true, start: () => ({ ...quietSpan }) };
    const model = new ScriptedLlm(calls('look'), says('Done.'));
    const runtime = new FixedRuntime({ tracer });
    await (await createTracedSetup(rootOf(model, { tools: [look] }), { runtime })).run();
    expect(recorded).toEqual([]);
  });
});

describe('A tracer that throws', () => {
  it.each(['start', 'set', 'end'])('in %s is logged, and the run continues', async (method) => {
    const broken = (name: string): void => {
      if (name === method) throw new Error('Broken.');
    };
    const tracer: Tracer = {
      start() {
        broken('start');
        return { traceId: '', spanId: '', set: () => broken('set'), end: () => broken('end') };
      },
    };
    const runtime = new FixedRuntime({ tracer });
    const model = new ScriptedLlm(calls('look'), says('Done.'));
    const { events, error } = await (await createTracedSetup(rootOf(model, { tools: [look] }), { runtime })).run();
    expect([events.length, error]).toEqual([3, undefined]);
    const { fields } = runtime.logs.find(({ message }) => message === 'A tracer failed.')!;
    expect(fields).toMatchObject({ error: 'Error: Broken.', stack: expect.stringContaining('spans.test.ts') });
  });
});
