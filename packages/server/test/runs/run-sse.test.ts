import type { Agent } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { LlmAgent } from '@thole/runner';
import { InMemoryArtifactService, InMemorySessionService } from '@thole/mem-services';
import { calls, fails, FixedRuntime, says, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { demo, hangsTelling, sessionPath } from '../demo.ts';
import { allFrames, framesOf, inWords } from '../frames.ts';

const modes = [{ onDisconnect: 'abort' as const }, { onDisconnect: 'continue' as const }];

describe.each(modes)('A stream of a run, with onDisconnect $onDisconnect', ({ onDisconnect }) => {
  it('tells each event, stored ones by their seq, and says when nothing is missing (contract 40)', async () => {
    const { run } = await demo({ onDisconnect, answers: [streams('Good ', 'evening.')] });
    const response = await run('/run_sse', { streaming: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const frames = await allFrames(response);
    expect(frames.map(inWords)).toEqual(['Good ', 'evening.', '#2 Good evening.', ': done']);
    const invocations = new Set(frames.map(({ event }) => event?.invocationId).filter(Boolean));
    expect([...invocations]).toEqual([response.headers.get('x-thole-invocation-id')]);
  });

  it('sends what is said at once in pieces of a bounded size, in order and whole', async () => {
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
    // The final holds all of it; whatever came before is a hundred times a thousand characters.
    const final = text.split('\n\n').find((frame) => frame.startsWith('id: '))!;
    expect(longest).toBeLessThan(final.length + 20_000);
    expect(text.length).toBeGreaterThan(2 * final.length);
  });

  it('has no parts of answers unless they are asked for', async () => {
    const { run } = await demo({ onDisconnect, answers: [streams('Good ', 'evening.')] });
    expect((await allFrames(await run('/run_sse'))).map(inWords)).toEqual(['#2 Good evening.', ': done']);
  });

  it('ends a run that failed with its record and one terminal frame, without the cause', async () => {
    const { run } = await demo({ onDisconnect, answers: [fails('MODEL_OVERLOADED')] });
    const response = await run('/run_sse');
    const frames = await allFrames(response);
    expect(frames.map(inWords)).toEqual(['#2 MODEL_OVERLOADED', '! MODEL_OVERLOADED']);
    expect(frames[1]!.errorDetails).toEqual({ code: 'MODEL_OVERLOADED', retryable: true });
  });

  it('tells an event that speaks and saves in two frames, the second with the id, unless it answers a call (contract 40)', async () => {
    for (const functionCallEventId of [undefined, 'event-1']) {
      const model = new ScriptedLlm(says('Saved.'));
      const rootAgent = new LlmAgent({
        name: 'a',
        model,
        beforeModelCallback: async ({ context }) => void (await context.saveArtifact('plan.txt', { text: 'x' })),
      });
      const { run } = await demo({ onDisconnect, rootAgent, artifactService: new InMemoryArtifactService() });
      const frames = await allFrames(await run('/run_sse', { functionCallEventId }));
      expect(frames.map(inWords)).toEqual(
        functionCallEventId ? ['#2 Saved.[plan.txt]', ': done'] : ['Saved.', '#2 [plan.txt]', ': done'],
      );
    }
  });

  it('sends what an agent of another’s making says with its action maps and without nulls, parts and stored alike (contract 38)', async () => {
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
    expect(frames.map(inWords)).toEqual(['Hi', '#2 Hi', ': done']);
    const maps = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
    for (const { event } of frames.slice(0, 2)) {
      expect(event!.actions).toEqual(maps);
      expect(event).not.toHaveProperty('finishReason');
    }
    const { run: again } = await demo({ onDisconnect, rootAgent });
    const whole = (await (await again('/run')).json()) as object[];
    expect(whole).toMatchObject([{ actions: maps }]);
    expect(whole[0]).not.toHaveProperty('finishReason');
  });

  it('says that it lives while nothing comes', async () => {
    const runtime = new FixedRuntime();
    const asked = Promise.withResolvers<AbortSignal>();
    const { run } = await demo({
      ...{ onDisconnect, runtime, limits: { heartbeatMs: 1_000, runMs: 2_500 } },
      ...{ answers: [hangsTelling(asked)], sessionService: new InMemorySessionService({ runtime }) },
    });
    const responded = run('/run_sse');
    await asked.promise;
    const frames = allFrames(await responded);
    for (let i = 0; i < 6; i++) await runtime.advance(500);
    expect((await frames).map(inWords)).toEqual([
      ...[': heartbeat', ': heartbeat'],
      ...['#2 RUN_TIME_LIMIT', '! RUN_TIME_LIMIT'],
    ]);
    await runtime.advance(10_000);
    expect(runtime.pending).toBe(0);
  });

  it('does not tell of events that the client sent itself', async () => {
    const { run } = await demo({ onDisconnect, answers: [says('Hello.')] });
    const frames = await allFrames(await run('/run_sse'));
    expect(frames.filter(({ event }) => event?.author === 'user')).toEqual([]);
  });
});

describe('A client that leaves its stream', () => {
  const twoSteps = (): LlmAgent =>
    new LlmAgent({
      name: 'a',
      model: new ScriptedLlm(calls('look', {}), says('Found.')),
      tools: [new FunctionTool({ name: 'look', description: 'Looks.', parameters: {}, execute: () => ({ found: 1 }) })],
    });

  it('ends the run at once under abort: the model’s signal is aborted, and what was stored stays (contract 40)', async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const { run, sessions } = await demo({ answers: [hangsTelling(asked)] });
    const response = await run('/run_sse');
    const signal = await asked.promise;
    await response.body!.cancel();
    expect(signal.aborted).toBe(true);
    await expect.poll(async () => (await sessions.getSession(ids))!.events.at(-1)!.errorCode).toBe('RUN_LEFT');
  });

  it('runs no tool that its reader has not asked past, under abort', async () => {
    const { run, sessions } = await demo({ rootAgent: twoSteps() });
    const response = await run('/run_sse');
    const frames = framesOf(response);
    expect(inWords((await frames.next()).value!)).toBe('#2 look');
    await frames.return(undefined);
    await expect.poll(async () => (await sessions.getSession(ids))!.events.at(-1)!.errorCode).toBe('RUN_LEFT');
  });

  it('leaves a run to itself under continue, and can read it again from where it left, or whole (contract 40)', async () => {
    const { run, get } = await demo({ rootAgent: twoSteps(), onDisconnect: 'continue' });
    const response = await run('/run_sse');
    const invocation = response.headers.get('x-thole-invocation-id')!;
    const frames = framesOf(response);
    expect(inWords((await frames.next()).value!)).toBe('#2 look');
    await frames.return(undefined);
    const path = `${sessionPath}/runs/${invocation}/events`;
    const rest = ['#3 look()', '#4 Found.', ': done'];
    expect((await allFrames(await get(path, { 'last-event-id': '2' }))).map(inWords)).toEqual(rest);
    expect((await allFrames(await get(`${path}?after=2`))).map(inWords)).toEqual(rest);
    expect((await allFrames(await get(path))).map(inWords)).toEqual(['#2 look', ...rest]);
    expect((await allFrames(await get(`${path}?after=4`))).map(inWords)).toEqual([': done']);
  });
});

const ids = { appName: 'demo', userId: 'ann', sessionId: 's' };
