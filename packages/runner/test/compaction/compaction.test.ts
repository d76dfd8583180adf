import { createEvent, systemRuntime, textOf } from '@thole/core';
import type { App, CompactionOptions, Event, LlmRequest, LlmResponse, Summarizer, SummaryRequest } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, fails, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { LongRunningFunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { countedTool, ref } from '../support/setup.ts';

/** Writes summaries with the texts of all their events, and records its requests. */
class NamingSummarizer implements Summarizer {
  readonly requests: SummaryRequest[] = [];

  async summarize(request: SummaryRequest): ReturnType<Summarizer['summarize']> {
    this.requests.push(request);
    const texts = request.events.map(({ content }) => textOf(content)).filter((text) => text !== '');
    const said = [...(request.previousSummary === undefined ? [] : [`(${request.previousSummary})`]), ...texts];
    return { content: { role: 'model', parts: [{ text: said.join(' ') }] }, usageMetadata: { totalTokenCount: 7 } };
  }
}

/** Returns a model that answers the n-th message with `a<n>`. */
function modelWith(count: number, promptTokens?: (n: number) => number): ScriptedLlm {
  const answer = (n: number): LlmResponse => ({
    ...says(`a${n}`),
    ...(promptTokens && { usageMetadata: { promptTokenCount: promptTokens(n), totalTokenCount: promptTokens(n) } }),
  });
  return new ScriptedLlm(...Array.from({ length: count }, (_, i) => answer(i + 1)));
}

interface CompactionSetup {
  runner: Runner;
  runtime: FixedRuntime;
  service: InMemorySessionService;
  events(): Promise<Event[]>;
  /** Sends the message `q<n>` and waits for the compaction. */
  ask(n: number): Promise<void>;
}

async function setupWith(
  compaction: CompactionOptions,
  model: ScriptedLlm,
  app: Partial<App> & { tools?: LlmAgent['tools'] } = {},
): Promise<CompactionSetup> {
  const runtime = new FixedRuntime();
  const sessionService = new InMemorySessionService({ runtime });
  await sessionService.createSession(ref);
  const { tools = [], ...rest } = app;
  const rootAgent = new LlmAgent({ name: 'root', model, tools });
  const runner = new Runner({ app: { name: 'app', rootAgent, compaction, ...rest }, sessionService, runtime });
  return {
    runner,
    runtime,
    service: sessionService,
    events: async () => (await sessionService.getSession(ref))!.events,
    ask: async (n) => {
      await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: `q${n}` });
      await runner.idle();
    },
  };
}

const textsOf = ({ contents }: LlmRequest): string[] =>
  contents.map(({ parts = [] }) => parts.map(({ text }) => text ?? '·').join(''));
const SUMMARY = 'Summary of the earlier conversation:\n';

describe('App.compaction', () => {
  it('summarizes after `interval` invocations, with the earlier summary (contract 26)', async () => {
    const model = modelWith(5);
    const summarizer = new NamingSummarizer();
    const { ask, events } = await setupWith({ interval: 2, summarizer }, model);
    for (let n = 1; n <= 5; n++) await ask(n);
    expect(textsOf(model.requests[1]!)).toEqual(['q1', 'a1', 'q2']);
    expect(textsOf(model.requests[2]!)).toEqual([`${SUMMARY}q1 a1 q2 a2`, 'q3']);
    expect(textsOf(model.requests[4]!)).toEqual([`${SUMMARY}(q1 a1 q2 a2) q3 a3 q4 a4`, 'q5']);
    const records = (await events()).filter((event) => event.actions.compaction);
    expect(records.map(({ author, usageMetadata }) => [author, usageMetadata?.totalTokenCount])).toEqual([
      ['system', 7],
      ['system', 7],
    ]);
    expect(records[1]!.actions.compaction).toMatchObject({ startSeq: 1, endSeq: 9 });
    expect(records[1]!.actions.compaction!.eventIds).toHaveLength(5);
  });

  it('lets the summarizer read `overlap` earlier invocations again', async () => {
    const summarizer = new NamingSummarizer();
    const { ask } = await setupWith({ interval: 2, overlap: 1, summarizer }, modelWith(4));
    for (let n = 1; n <= 4; n++) await ask(n);
    expect(summarizer.requests[1]!.events.map(({ content }) => textOf(content))).toEqual([
      ...['q2', 'a2'],
      ...['q3', 'a3', 'q4', 'a4'],
    ]);
  });

  it('summarizes from `tokenThreshold` on, without the newest `eventRetention` events (contract 26)', async () => {
    const model = modelWith(4, (n) => n * 100);
    const summarizer = new NamingSummarizer();
    const { ask } = await setupWith({ tokenThreshold: 300, eventRetention: 2, summarizer }, model);
    for (let n = 1; n <= 4; n++) await ask(n);
    expect(summarizer.requests).toHaveLength(2);
    expect(textsOf(model.requests[2]!)).toEqual(['q1', 'a1', 'q2', 'a2', 'q3']);
    expect(textsOf(model.requests[3]!)).toEqual([`${SUMMARY}q1 a1 q2 a2`, 'q3', 'a3', 'q4']);
  });

  it('estimates the tokens of a model that does not count them', async () => {
    const long = 'x'.repeat(400);
    const model = new ScriptedLlm(says(long), says(long), says(long), says('a4'));
    const summarizer = new NamingSummarizer();
    const { ask } = await setupWith({ tokenThreshold: 250, eventRetention: 2, summarizer }, model);
    for (let n = 1; n <= 3; n++) await ask(n);
    expect(summarizer.requests).toHaveLength(1);
    await ask(4);
    expect(textsOf(model.requests[3]!)).toEqual([`${SUMMARY}q1 ${long} q2 ${long}`, 'q3', long, 'q4']);
    expect(summarizer.requests).toHaveLength(1);
  });

  it('does not count a prompt from before the newest record', async () => {
    const model = modelWith(3, (n) => (n === 2 ? 500 : 10));
    const summarizer = new NamingSummarizer();
    const { ask, runner } = await setupWith({ tokenThreshold: 300, eventRetention: 0, summarizer }, model);
    await ask(1);
    await ask(2);
    expect(summarizer.requests).toHaveLength(1);
    await ask(3);
    expect(summarizer.requests).toHaveLength(1);
    await runner.close();
  });

  it('keeps a paused invocation, and calls without an answer, in the prompt (contract 26)', async () => {
    const approve = new LongRunningFunctionTool({
      name: 'approve',
      description: 'Asks a manager.',
      execute: () => ({ status: 'pending' }),
    });
    const model = new ScriptedLlm(calls('approve', {}, 'c1'), says('Waiting.'), says('a2'), says('a3'));
    const summarizer = new NamingSummarizer();
    const { ask, events } = await setupWith({ interval: 2, summarizer }, model, { tools: [approve] });
    for (let n = 1; n <= 3; n++) await ask(n);
    const paused = (await events())[0]!.invocationId;
    const covered = new Set(summarizer.requests.flatMap((each) => each.events.map(({ invocationId }) => invocationId)));
    expect(covered.has(paused)).toBe(false);
    expect(covered.size).toBeGreaterThan(0);
  });

  it('covers both sides of a call (contract 26)', async () => {
    const tool = countedTool('look', async () => ({ found: 3 }));
    const model = new ScriptedLlm(calls('look', {}, 'c1'), says('a1'), says('a2'), says('a3'));
    const summarizer = new NamingSummarizer();
    const { ask } = await setupWith({ tokenThreshold: 1, eventRetention: 2, summarizer }, model, { tools: [tool] });
    for (let n = 1; n <= 3; n++) await ask(n);
    const kinds = summarizer.requests.map(({ events }) =>
      events.flatMap(({ content }) => (content?.parts ?? []).map((part) => part.text ?? Object.keys(part)[0])),
    );
    expect(kinds).toEqual([['q1'], ['functionCall', 'functionResponse', 'a1'], ['q2', 'a2']]);
    const shown = textsOf(model.requests.at(-1)!);
    expect(shown).toEqual([`${SUMMARY}(q1) a1`, 'q2', 'a2', 'q3']);
  });

  it('does not fail the turn if the summarizer fails, and logs the error (contract 26)', async () => {
    const failing: Summarizer = { summarize: async () => Promise.reject(new Error('no model')) };
    const { ask, events, runtime } = await setupWith({ interval: 1, summarizer: failing }, modelWith(2));
    await ask(1);
    await ask(2);
    expect((await events()).filter((event) => event.actions.compaction)).toEqual([]);
    const lines = runtime.logs.filter(({ message }) => message === 'A session was not compacted.');
    expect(lines[0]!.fields).toMatchObject({ sessionId: 's', code: 'COMPACTION_FAILED' });
    expect(JSON.stringify(lines)).not.toContain('q1');
  });

  it('rejects a summary without text (contract 26)', async () => {
    const empty: Summarizer = { summarize: async () => ({ content: { role: 'model', parts: [{ text: ' ' }] } }) };
    const { ask, events } = await setupWith({ interval: 1, summarizer: empty }, modelWith(1));
    await ask(1);
    expect((await events()).filter((event) => event.actions.compaction)).toEqual([]);
  });

  it('stores no record in a session that was created again during the summary', async () => {
    const summarizer = new NamingSummarizer();
    const { ask, events, runtime, service } = await setupWith({ interval: 2, summarizer }, modelWith(2));
    await ask(1);
    const summarize = summarizer.summarize.bind(summarizer);
    summarizer.summarize = async (request) => {
      await service.deleteSession(ref);
      await service.createSession(ref);
      return summarize(request);
    };
    await ask(2);
    expect([summarizer.requests.length, await events()]).toEqual([1, []]);
    expect(summarizer.requests[0]!.logger).toBe(runtime.logger);
  });

  it('shows the record to plugins, which may change it', async () => {
    const plugin = {
      name: 'redact',
      onEventCallback: ({ event }: { event: Event }): Event | undefined => {
        if (!event.actions.compaction) return undefined;
        const compaction = { ...event.actions.compaction, compactedContent: { parts: [{ text: 'redacted' }] } };
        return { ...event, actions: { ...event.actions, compaction } };
      },
    };
    const model = modelWith(2);
    const options = { interval: 1, summarizer: new NamingSummarizer() };
    const { ask } = await setupWith(options, model, { plugins: [plugin] });
    await ask(1);
    await ask(2);
    expect(textsOf(model.requests[1]!)).toEqual([`${SUMMARY}redacted`, 'q2']);
  });

  it('uses the model of the root agent without a summarizer', async () => {
    const model = new ScriptedLlm(says('a1'), says('A short summary.'), says('a2'));
    const { ask } = await setupWith({ interval: 1 }, model);
    await ask(1);
    expect(textsOf(model.requests[1]!)[0]).toContain('user: q1\nroot: a1');
  });

  it('waits in close() for an active compaction (contract 26)', async () => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<Summarizer['summarize']>>>();
    const { events, runner } = await setupWith({ interval: 1, summarizer: { summarize: () => promise } }, modelWith(1));
    await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'q1' });
    const closing = runner.close();
    resolve({ content: { role: 'model', parts: [{ text: 'short' }] } });
    await closing;
    expect((await events()).at(-1)!.actions.compaction).toBeDefined();
  });

  it('ends close() after 30 s if the summarizer ignores its signal, and stores nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<Summarizer['summarize']>>>();
    const summarizer = { summarize: () => promise };
    const { events, runner, runtime } = await setupWith({ interval: 1, summarizer }, modelWith(1));
    await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'q1' });
    const before = await events();
    let isClosed = false;
    const closing = runner.close().then(() => (isClosed = true));
    await runtime.advance(29_999);
    expect(isClosed).toBe(false);
    await runtime.advance(1);
    expect(isClosed).toBe(true);
    await closing;
    resolve({ content: { role: 'model', parts: [{ text: 'short' }] } });
    await runtime.advance(1);
    expect(await events()).toEqual(before);
    expect(runtime.logs.map(({ message }) => message)).toContain('A session was not compacted.');
  });

  it.each<[string, CompactionOptions]>([
    ['needs interval, or tokenThreshold', {}],
    ['interval must be an integer ≥ 1', { interval: 0 }],
    ['overlap must be an integer ≥ 0', { interval: 1, overlap: -1 }],
    ['overlap needs interval', { overlap: 1, tokenThreshold: 5, eventRetention: 1 }],
    ['must be set together', { tokenThreshold: 5 }],
    ['must be set together', { interval: 1, eventRetention: 5 }],
    ['tokenThreshold must be an integer ≥ 1', { tokenThreshold: 0, eventRetention: 1 }],
    ['eventRetention must be an integer ≥ 0', { tokenThreshold: 5, eventRetention: -1 }],
    ['an object with summarize()', { interval: 1, summarizer: {} as Summarizer }],
    ['intervall', { intervall: 1 } as CompactionOptions],
  ])('throws INVALID_INPUT: %s', (message, compaction) => {
    const rootAgent = new LlmAgent({ name: 'root', model: modelWith(0) });
    const create = (): Runner =>
      new Runner({ app: { name: 'app', rootAgent, compaction }, sessionService: new InMemorySessionService() });
    expect(create).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) }),
    );
  });

  it('throws INVALID_INPUT without a summarizer if the root agent has no model', () => {
    const rootAgent = { name: 'root', runAsync: async function* () {} } as unknown as App['rootAgent'];
    const app = { name: 'app', rootAgent, compaction: { interval: 1 } };
    expect(() => new Runner({ app, sessionService: new InMemorySessionService() })).toThrow('needs a summarizer');
  });
});

describe('Runner.compact', () => {
  it('summarizes at once, and returns the stored record', async () => {
    const { ask, events, runner } = await setupWith({ interval: 9, summarizer: new NamingSummarizer() }, modelWith(1));
    await ask(1);
    const results = await runner.compact({ userId: 'ann', sessionId: 's' });
    const stored = await events();
    expect(results).toMatchObject([{ eventIds: stored.slice(0, 2).map(({ id }) => id), startSeq: 1, endSeq: 2 }]);
    expect(results[0]!.event).toEqual(stored[2]);
    expect(await runner.compact({ userId: 'ann', sessionId: 's' })).toEqual([]);
  });

  it('calls no model and stores nothing with dryRun', async () => {
    const summarizer = new NamingSummarizer();
    const { ask, events, runner } = await setupWith({ interval: 9, summarizer }, modelWith(1));
    await ask(1);
    const results = await runner.compact({ userId: 'ann', sessionId: 's', dryRun: true });
    expect(results).toMatchObject([{ startSeq: 1, endSeq: 2, replacedRecords: [] }]);
    expect(results[0]!.event).toBeUndefined();
    expect(summarizer.requests).toEqual([]);
    expect(await events()).toHaveLength(2);
  });

  it('throws COMPACTION_FAILED, and stores nothing, if the model fails', async () => {
    const model = new ScriptedLlm(says('a1'), fails('MODEL_OVERLOADED'));
    const { ask, events, runner } = await setupWith({ interval: 9 }, model);
    await ask(1);
    await expect(runner.compact({ userId: 'ann', sessionId: 's' })).rejects.toMatchObject({
      code: 'COMPACTION_FAILED',
    });
    expect(await events()).toHaveLength(2);
  });

  it('does not cover a running invocation (contract 26)', async () => {
    const gate = Promise.withResolvers<LlmResponse>();
    const model = new ScriptedLlm(says('a1'), () => gate.promise);
    const { ask, runner } = await setupWith({ interval: 9, summarizer: new NamingSummarizer() }, model);
    await ask(1);
    const running = runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'q2' });
    await new Promise((resolve) => setImmediate(resolve));
    const [result] = await runner.compact({ userId: 'ann', sessionId: 's' });
    expect(result).toMatchObject({ startSeq: 1, endSeq: 2 });
    gate.resolve(says('a2'));
    expect((await running).text).toBe('a2');
  });

  it('does not cover the unfinished invocation of the session (contract 26)', async () => {
    const { ask, runner, service } = await setupWith({ interval: 9, summarizer: new NamingSummarizer() }, modelWith(1));
    await ask(1);
    for (const [author, text] of [
      ['user', 'q2'],
      ['first', 'a2'],
    ] as const) {
      // The process dies between two agents.
      const content = { role: author === 'user' ? ('user' as const) : ('model' as const), parts: [{ text }] };
      const event = createEvent({ author, invocationId: 'i2', content }, systemRuntime());
      await service.appendEvent({ session: ref, event, marks: { unfinished: 'i2' } });
    }
    const [result] = await runner.compact({ userId: 'ann', sessionId: 's' });
    expect(result).toMatchObject({ startSeq: 1, endSeq: 2 });
  });

  it('rejects with SESSION_NOT_FOUND or INVALID_INPUT', async () => {
    const { runner } = await setupWith({ interval: 1, summarizer: new NamingSummarizer() }, modelWith(0));
    await expect(runner.compact({ userId: 'ann', sessionId: 'x' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await expect(runner.compact({ userId: '', sessionId: 's' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const unknown = { userId: 'ann', sessionId: 's', keep: 3 };
    await expect(runner.compact(unknown)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const sessionService = new InMemorySessionService();
    const plain = new Runner({
      appName: 'app',
      agent: new LlmAgent({ name: 'a', model: modelWith(0) }),
      sessionService,
    });
    await expect(plain.compact({ userId: 'ann', sessionId: 's' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
