import { TholeError } from '@thole/core';
import type { Agent } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { LlmAgent } from '@thole/runner';
import { InMemoryArtifactService, InMemorySessionService } from '@thole/mem-services';
import { calls, fails, FixedRuntime, says, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { demo, neverAnswers, sessionPath } from '../demo.ts';
import { allFrames, framesOf, describeFrame } from '../frames.ts';

const modes = [{ onDisconnect: 'abort' as const }, { onDisconnect: 'continue' as const }];

describe.each(modes)('POST /run_sse with onDisconnect $onDisconnect', ({ onDisconnect }) => {
  it('streams all events, stored events with their seq, and ends with a comment (contract 40)', async () => {
    const { run } = await demo({ onDisconnect, answers: [streams('Good ', 'evening.')] });
    const response = await run('/run_sse', { streaming: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    // Middleware that compresses responses does not change this one, and so does not buffer it.
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    const frames = await allFrames(response);
    expect(frames.map(describeFrame)).toEqual(['Good ', 'evening.', '#2 Good evening.', ': done']);
    const invocations = new Set(frames.map(({ event }) => event?.invocationId).filter(Boolean));
    expect([...invocations]).toEqual([response.headers.get('x-thole-invocation-id')]);
  });

  it('sends many events in chunks of limited size, in order and complete', async () => {
    const words = Array.from({ length: 100 }, (_, i) => `${i} `.padEnd(1_000, '.'));
    const { run } = await demo({ onDisconnect, answers: [streams(...words)] });
    const response = await run('/run_sse', { streaming: true });
    let [text, longest] = ['', 0];
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      longest = Math.max(longest, chunk.length);
    }
    expect([...text.matchAll(/^data: .*"partial":true/gm)]).toHaveLength(100);
    expect(text.indexOf(words[3]!)).toBeLessThan(text.indexOf(words[4]!));
    // The final event contains the complete text, which is 100 times 1,000 characters.
    const final = text.split('\n\n').find((frame) => frame.startsWith('id: '))!;
    expect(longest).toBeLessThan(final.length + 20_000);
    expect(text.length).toBeGreaterThan(2 * final.length);
  });

  it('sends no partial events without streaming', async () => {
    const { run } = await demo({ onDisconnect, answers: [streams('Good ', 'evening.')] });
    expect((await allFrames(await run('/run_sse'))).map(describeFrame)).toEqual(['#2 Good evening.', ': done']);
  });

  it('ends a failed run with its closing record and one error frame, without the cause', async () => {
    const { run } = await demo({ onDisconnect, answers: [fails('MODEL_OVERLOADED')] });
    const response = await run('/run_sse');
    const frames = await allFrames(response);
    expect(frames.map(describeFrame)).toEqual(['#2 MODEL_OVERLOADED', '! MODEL_OVERLOADED']);
    expect(frames[1]!.errorDetails).toEqual({ code: 'MODEL_OVERLOADED', retryable: true });
  });

  it('ends a run with an error as its answer as other runs, also if it is read again', async () => {
    const answers: { [code: string]: object } = {
      MODEL_BLOCKED: { finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED', errorMessage: 'Blocked.' },
      SOLD_OUT: { errorCode: 'SOLD_OUT', errorMessage: 'Nothing is left.' },
    };
    for (const [code, answer] of Object.entries(answers)) {
      const { get, run } = await demo({ onDisconnect, answers: [answer] });
      const response = await run('/run_sse');
      expect((await allFrames(response)).map(describeFrame)).toEqual([`#2 ${code}`, ': done']);
      const path = `${sessionPath}/runs/${response.headers.get('x-thole-invocation-id')}/events`;
      expect((await allFrames(await get(path))).map(describeFrame)).toEqual([`#2 ${code}`, ': done']);
    }
  });

  it('ends a run that failed with a code of the app with an error, also if it is read again', async () => {
    const rootAgent: Agent = {
      name: 'shop',
      async *runAsync() {
        throw new TholeError('SOLD_OUT', 'Nothing is left.');
      },
    };
    const { get, run } = await demo({ onDisconnect, rootAgent });
    const response = await run('/run_sse');
    expect((await allFrames(response)).map(describeFrame)).toEqual(['#2 SOLD_OUT', '! SOLD_OUT']);
    const path = `${sessionPath}/runs/${response.headers.get('x-thole-invocation-id')}/events`;
    expect((await allFrames(await get(path))).map(describeFrame)).toEqual(['#2 SOLD_OUT', '! SOLD_OUT']);
  });

  it('sends an event with text and artifacts as two frames, the second with the id (contract 40)', async () => {
    for (const functionCallEventId of [undefined, 'event-1']) {
      const model = new ScriptedLlm(says('Saved.'));
      const rootAgent = new LlmAgent({
        name: 'a',
        model,
        beforeModelCallback: async ({ context }) => void (await context.saveArtifact('plan.txt', { text: 'x' })),
      });
      const { run } = await demo({ onDisconnect, rootAgent, artifactService: new InMemoryArtifactService() });
      const frames = await allFrames(await run('/run_sse', { functionCallEventId }));
      expect(frames.map(describeFrame)).toEqual(
        functionCallEventId ? ['#2 Saved.[plan.txt]', ': done'] : ['Saved.', '#2 [plan.txt]', ': done'],
      );
    }
  });

  it('adds action maps and removes nulls from events of custom agents (contract 38)', async () => {
    const rootAgent: Agent = {
      name: 'own',
      async *runAsync({ invocationId }) {
        const bare = { id: 'event-x', invocationId, author: 'own', timestamp: 1, content: { parts: [{ text: 'Hi' }] } };
        yield { ...bare, partial: true, finishReason: null, actions: null } as never;
        yield { ...bare, finishReason: null, actions: {} } as never;
      },
    };
    const { run } = await demo({ onDisconnect, rootAgent });
    const frames = await allFrames(await run('/run_sse', { streaming: true }));
    expect(frames.map(describeFrame)).toEqual(['Hi', '#2 Hi', ': done']);
    const maps = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
    for (const { event } of frames.slice(0, 2)) {
      expect(event!.actions).toEqual(maps);
      expect(event).not.toHaveProperty('finishReason');
    }
    const { run: again } = await demo({ onDisconnect, rootAgent });
    const events = (await (await again('/run')).json()) as object[];
    expect(events).toMatchObject([{ actions: maps }]);
    expect(events[0]).not.toHaveProperty('finishReason');
  });

  it('sends heartbeats while there are no events', async () => {
    const runtime = new FixedRuntime();
    const called = Promise.withResolvers<AbortSignal>();
    const { run } = await demo({
      ...{ onDisconnect, runtime, limits: { heartbeatMs: 1_000, runMs: 2_500 } },
      ...{ answers: [neverAnswers(called)], sessionService: new InMemorySessionService({ runtime }) },
    });
    const responded = run('/run_sse');
    await called.promise;
    const frames = allFrames(await responded);
    for (let i = 0; i < 6; i++) await runtime.advance(500);
    expect((await frames).map(describeFrame)).toEqual([
      ...[': heartbeat', ': heartbeat'],
      ...['#2 RUN_TIME_LIMIT', '! RUN_TIME_LIMIT'],
    ]);
    await runtime.advance(10_000);
    expect(runtime.pending).toBe(0);
  });

  it('does not send the event of the user’s message', async () => {
    const { run } = await demo({ onDisconnect, answers: [says('Hello.')] });
    const frames = await allFrames(await run('/run_sse'));
    expect(frames.filter(({ event }) => event?.author === 'user')).toEqual([]);
  });
});

describe('POST /run_sse with a client that disconnects', () => {
  const twoSteps = (): LlmAgent =>
    new LlmAgent({
      name: 'a',
      model: new ScriptedLlm(calls('look', {}), says('Found.')),
      tools: [new FunctionTool({ name: 'look', description: 'Looks.', parameters: {}, execute: () => ({ found: 1 }) })],
    });

  it('aborts the run and its model call with onDisconnect abort (contract 40)', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const { run, sessions } = await demo({ answers: [neverAnswers(called)] });
    const response = await run('/run_sse');
    const signal = await called.promise;
    await response.body!.cancel();
    expect(signal.aborted).toBe(true);
    await expect.poll(async () => (await sessions.getSession(ids))!.events.at(-1)!.errorCode).toBe('RUN_LEFT');
  });

  it('runs no tool before the client has read the call, with onDisconnect abort', async () => {
    const { run, sessions } = await demo({ rootAgent: twoSteps() });
    const response = await run('/run_sse');
    const frames = framesOf(response);
    expect(describeFrame((await frames.next()).value!)).toBe('#2 look');
    await frames.return(undefined);
    await expect.poll(async () => (await sessions.getSession(ids))!.events.at(-1)!.errorCode).toBe('RUN_LEFT');
  });

  it('can be read again with onDisconnect continue (contract 40)', async () => {
    const { run, get } = await demo({ rootAgent: twoSteps(), onDisconnect: 'continue' });
    const response = await run('/run_sse');
    const invocation = response.headers.get('x-thole-invocation-id')!;
    const frames = framesOf(response);
    expect(describeFrame((await frames.next()).value!)).toBe('#2 look');
    await frames.return(undefined);
    const path = `${sessionPath}/runs/${invocation}/events`;
    const rest = ['#3 look()', '#4 Found.', ': done'];
    expect((await allFrames(await get(path, { 'last-event-id': '2' }))).map(describeFrame)).toEqual(rest);
    expect((await allFrames(await get(`${path}?after=2`))).map(describeFrame)).toEqual(rest);
    expect((await allFrames(await get(path))).map(describeFrame)).toEqual(['#2 look', ...rest]);
    expect((await allFrames(await get(`${path}?after=4`))).map(describeFrame)).toEqual([': done']);
  });
});

const ids = { appName: 'demo', userId: 'ann', sessionId: 's' };
