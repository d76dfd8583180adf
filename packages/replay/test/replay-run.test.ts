import { existsSync } from 'node:fs';
import { link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvent, getFunctionResponses, pendingInterrupts, systemRuntime, textOf } from '@thole/core';
import type { Agent, Event, InvocationContext, Llm, Tool } from '@thole/core';
import { InMemoryArtifactService, InMemorySessionService } from '@thole/mem-services';
import { AgentTool, LlmAgent, ParallelAgent, Runner } from '@thole/runner';
import { calls, callsAll, fails, says, ScriptedLlm } from '@thole/testing';
import type { FixedRuntime } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { recordRun, replayRun } from '../src/index.ts';
import type { Recording } from '../src/index.ts';
import { bookAnswers, hello, optionsFor, tripApp, weatherAnswers } from './trip-app.ts';
import type { TripChanges } from './trip-app.ts';

const sse = { ...hello, runConfig: { streamingMode: 'sse' as const } };

function record(
  answers: TripChanges['answers'],
  ...byName: ConstructorParameters<typeof ScriptedLlm>
): Promise<Recording> {
  return recordRun(optionsFor(tripApp({ answers: answers! }), ...byName), sse);
}

function answerRequest(events: readonly Event[]): {
  userId: string;
  sessionId: string;
  answers: { [id: string]: string };
} {
  const [interrupt] = pendingInterrupts(events);
  return { userId: 'ann', sessionId: 's', answers: { [interrupt!.id]: 'yes' } };
}

const weather: Tool = {
  name: 'weather',
  description: 'Returns the weather.',
  declaration: () => ({ name: 'weather', parametersJsonSchema: { type: 'object' } }),
  runAsync: async () => 'rain',
};

function throwValue(value: unknown): never {
  throw value;
}

describe('recordRun', () => {
  it('rejects an empty list of requests, and calls no model for a file that cannot be written', async () => {
    const model = new ScriptedLlm(says('Hello.'));
    const options = optionsFor({ name: 'trips', rootAgent: new LlmAgent({ name: 'guide', model }) });
    await expect(recordRun(options, [])).rejects.toThrow('requests must contain at least one request.');
    const inFile = join(import.meta.filename, 'run.json');
    await expect(recordRun(options, hello, { file: inFile })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `A recording cannot be written to ${inFile}. Check the path and the rights.`,
    });
    await expect(recordRun(options, hello, { onEvent: 'log' as never })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'onEvent must be a function, got a string.',
    });
    await expect(recordRun(options, hello, { file: import.meta.dirname })).rejects.toThrow(
      /^file of recordRun must be the path of a file, not of a folder/,
    );
    await expect(recordRun(options, hello, { file: '' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(recordRun(options, hello, { redact: 'hush' as never })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'redact must be a function, got a string.',
    });
    expect(model.requests).toEqual([]);
  });

  it.runIf(existsSync('/dev/full'))('names the file if the recording cannot be written', async () => {
    const options = optionsFor(tripApp({ answers: weatherAnswers }));
    await expect(recordRun(options, hello, { file: '/dev/full' })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'The recording could not be written to /dev/full. Check the rights and the free space.',
      cause: { code: 'ENOSPC' },
    });
  });

  it('replaces a file at once, and keeps its rights and links to it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'replay-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [file, earlier, toFile] = ['trip.json', 'earlier.json', 'link.json'].map((name) => join(folder, name));
    await writeFile(file!, 'An earlier recording.', { mode: 0o600 });
    // The second name shows whether the earlier file itself was changed.
    await link(file!, earlier!);
    await symlink(file!, toFile!);
    const options = optionsFor(tripApp({ answers: weatherAnswers }));
    const recording = await recordRun(options, hello, { file: toFile });
    expect(JSON.parse(await readFile(file!, 'utf8'))).toEqual(recording);
    expect(await readFile(earlier!, 'utf8')).toBe('An earlier recording.');
    expect((await stat(file!)).mode).toBe((await stat(earlier!)).mode);
    expect((await readdir(folder)).toSorted()).toEqual(['earlier.json', 'link.json', 'trip.json']);
  });

  it('records requests, partial responses, arguments, results and events', async () => {
    const { app, runs, session, version } = await record(weatherAnswers);
    expect({ app, session, version }).toEqual({
      app: { name: 'trips', agents: ['root'], tools: ['weather', 'book', 'guide'] },
      session: null,
      version: 1,
    });
    const [ask, tool, answer] = runs[0]!.calls;
    expect(ask).toMatchObject({ kind: 'model', agent: 'root', end: 1 });
    expect(tool).toMatchObject({
      args: { city: 'Oslo' },
      result: { sky: 'clear' },
      stateDelta: { city: 'Oslo' },
      end: 2,
    });
    expect(answer).toMatchObject({ responses: [{ partial: true }, { partial: true }, { content: {} }], end: 3 });
    expect(runs[0]!.events.map(({ author }) => author)).toEqual(['user', 'root', 'root', 'root']);
  });

  it('never records deps, temp: state or provider options', async () => {
    const app = tripApp({ answers: weatherAnswers });
    const rootAgent = new LlmAgent({
      ...{ name: 'root', model: (app.rootAgent as LlmAgent).model!, tools: (app.rootAgent as LlmAgent).tools },
      providerOptions: { any: { key: 'hush' } },
    });
    const request = { ...hello, deps: { key: 'hush' }, stateDelta: { 'temp:key': 'hush', kept: 'yes' } };
    const recording = await recordRun(optionsFor({ ...app, rootAgent }), request);
    expect(JSON.stringify(recording)).not.toContain('hush');
    expect(recording.runs[0]!.request).toMatchObject({ stateDelta: { kept: 'yes' } });
  });

  it('replaces texts with redact, and the replay is still equal', async () => {
    const options = optionsFor(tripApp({ answers: weatherAnswers }));
    const recording = await recordRun(options, hello, { redact: (text) => text.replaceAll('Oslo', 'X') });
    expect(JSON.stringify(recording)).not.toContain('Oslo');
    expect((await replayRun(recording, tripApp())).text).toMatch(/^Equal: /);
  });

  it('calls onEvent with each event, also with partial events', async () => {
    const events: Event[] = [];
    await recordRun(optionsFor(tripApp({ answers: weatherAnswers })), sse, { onEvent: (event) => events.push(event) });
    expect(events.filter(({ partial }) => partial)).toHaveLength(2);
  });

  it('throws an error of onEvent, and writes no file', async () => {
    const file = join(tmpdir(), `thole-${process.pid}-no-recording.json`);
    const onEvent = (): never => {
      throw new Error('The page was closed.');
    };
    const recorded = recordRun(optionsFor(tripApp({ answers: weatherAnswers })), hello, { file, onEvent });
    await expect(recorded).rejects.toThrow('The page was closed.');
    expect(existsSync(file)).toBe(false);
  });
});

describe('replayRun', () => {
  it('returns equal for an unchanged app, and calls neither models nor tools', async () => {
    let runs = 0;
    const result = await replayRun(await record(weatherAnswers), tripApp({ onBook: () => runs++ }));
    expect(result).toEqual({ equal: true, text: 'Equal: 4 events.' });
    expect(runs).toBe(0);
  });

  it('names the model request that differs after a changed instruction', async () => {
    const result = await replayRun(await record(weatherAnswers), tripApp({ instruction: 'Sell trips.' }));
    expect(result).toMatchObject({
      equal: false,
      difference: { run: 0, index: 1, call: 'call 1 of the model of root', path: 'config.systemInstruction' },
    });
    expect(result.difference!.actual).toContain('Sell trips.');
    expect(result.text).toMatch(
      /^Event 2: call 1 of the model of root differs at config\.systemInstruction\.\n {2}recorded:/,
    );
  });

  it('shows the place where two long texts differ', async () => {
    const rules = 'Be polite. '.repeat(100);
    const recording = await recordRun(
      optionsFor(tripApp({ answers: weatherAnswers, instruction: `${rules}Plan trips. ${rules}` })),
      sse,
    );
    const { text } = await replayRun(recording, tripApp({ instruction: `${rules}Sell trips. ${rules}` }));
    const [, recorded, now] = text.split('\n');
    expect(recorded).toMatch(/^ {2}recorded: …".*Be polite\. Plan trips\. Be polite\..*…$/);
    expect(now).toMatch(/^ {2}now: {6}…".*Be polite\. Sell trips\. Be polite\..*…$/);
    expect(now!.length).toBeLessThan(400);
  });

  it('names the error of an event before its missing content', async () => {
    const app = tripApp();
    const rootAgent = app.rootAgent as LlmAgent;
    Object.assign(rootAgent, { afterModelCallback: () => throwValue(new Error('x')) });
    const { difference, text } = await replayRun(await record(weatherAnswers), app);
    expect(difference).toMatchObject({ path: 'errorMessage', expected: undefined });
    expect(text).toContain('now:      "Agent root failed in afterModelCallback."');
    expect(text).toMatch(/cause: {4}Error: x\n.*replay-run\.test\.ts/s);
  });

  it('names the model request that differs after a changed tool', async () => {
    const { difference } = await replayRun(await record(weatherAnswers), tripApp({ description: 'Rain.' }));
    expect(difference?.path).toBe('config.tools[0].functionDeclarations[0].description');
  });

  it('names the first event that differs', async () => {
    const app = tripApp();
    const plugin = {
      name: 'shout',
      onEventCallback: ({ event }: { event: Event }) =>
        event.content?.parts?.[0]?.text === 'Clear skies.' && !event.partial
          ? { ...event, content: { role: 'model' as const, parts: [{ text: 'CLEAR' }] } }
          : undefined,
    };
    const { difference } = await replayRun(await record(weatherAnswers), { ...app, plugins: [plugin] });
    expect(difference).toMatchObject({
      ...{ index: 3, path: 'content.parts[0].text', expected: 'Clear skies.', actual: 'CLEAR' },
      event: { author: 'root' },
    });
  });

  it('names an additional call and a missing call', async () => {
    const recording = await record(weatherAnswers);
    const more = structuredClone(recording);
    more.runs[0]!.calls.splice(2, 1);
    expect((await replayRun(more, tripApp())).difference).toMatchObject({
      call: 'call 2 of the model of root',
      index: 3,
    });
    const fewer = structuredClone(recording);
    fewer.runs[0]!.calls.push({ ...structuredClone(fewer.runs[0]!.calls[0]!), end: 4 });
    expect((await replayRun(fewer, tripApp())).difference).toMatchObject({
      call: 'the model of root',
      actual: undefined,
    });
  });

  it('replays errors of tools and models', async () => {
    const recording = await record([calls('weather', { city: 'Atlantis' }), fails('MODEL_INCOMPLETE')]);
    expect(recording.runs[0]!.error).toMatchObject({ code: 'MODEL_INCOMPLETE' });
    expect((await replayRun(recording, tripApp())).text).toMatch(/^Equal: /);
  });

  it.each<[string, () => unknown, string]>([
    ['returns a Map', () => new Map(), 'ask ran, but its result could not be stored: result is a Map.'],
    ['returns a BigInt', () => ({ n: 1n }), 'ask ran, but its result could not be stored: result.n is a bigint.'],
    [
      'returns NaN after a date',
      () => [new Date(0), NaN],
      'ask ran, but its result could not be stored: result[1] is NaN.',
    ],
    ['throws undefined', () => throwValue(undefined), 'A value that is not an Error was thrown.'],
    ['throws an object', () => throwValue({ status: 404 }), 'A value that is not an Error was thrown.'],
    ['throws a text', () => throwValue('No answer.'), 'No answer.'],
  ])('replays a tool that %s', async (_, execute, error) => {
    const tools = [new FunctionTool({ name: 'ask', description: 'Asks.', execute })];
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(calls('ask'), says('Sorry.')), tools });
    const sessionService = new InMemorySessionService();
    const recording = await recordRun({ appName: 'trips', agent, sessionService }, hello);
    const [, , answer] = recording.runs[0]!.events;
    expect(answer!.content!.parts![0]!.functionResponse!.response).toEqual({ error });
    expect((await replayRun(recording, agent)).text).toBe('Equal: 4 events.');
  });

  it('names the error of a run that ends with an error in only one of recording and replay', async () => {
    const missing = await record(weatherAnswers);
    missing.runs[0]!.error = { name: 'Error', message: 'The cable broke.' };
    const additional = await record([calls('weather', { city: 'Oslo' }), fails('MODEL_INCOMPLETE')]);
    additional.runs[0]!.error = undefined;
    for (const recording of [missing, additional]) {
      const { difference, text } = await replayRun(recording, tripApp());
      expect(difference).toMatchObject({ index: 4, event: undefined, call: 'the error of the run', path: '' });
      expect(text).toMatch(/^Event 5: the error of the run differs\.\n/);
    }
  });

  it('replays agents that run as tools, with models by name', async () => {
    const recording = await record([calls('guide', { request: 'Sights?' }), says('A fjord.')], says('Fjord'));
    expect(recording.runs[0]!.calls.map(({ agent, end }) => [agent, end])).toEqual([
      ...[
        ['root', 1],
        ['root', 3],
        ['guide', 2],
        ['root', 4],
      ],
    ]);
    expect((await replayRun(recording, optionsFor(tripApp()).app!)).text).toMatch(/^Equal: /);
  });

  it('replays an invocation with several runs without running its steps again', async () => {
    let steps = 0;
    const options = optionsFor(tripApp({ answers: bookAnswers }));
    const first = { ...hello, sessionId: 's' };
    const recording = await recordRun({ ...options, autoCreateSession: true }, [first, answerRequest]);
    expect(recording.runs.map(({ kind }) => kind)).toEqual(['run', 'resume']);
    expect(recording.runs[1]!.events.at(-1)!.content!.parts![0]!.text).toBe('Booked.');
    expect(await replayRun(recording, tripApp({ onBook: () => steps++ }))).toMatchObject({ equal: true });
    expect(steps).toBe(0);
    const { difference } = await replayRun(recording, tripApp({ instruction: 'Sell.' }));
    expect(difference).toMatchObject({ run: 0, path: 'config.systemInstruction' });
  });

  it('replays a resumed run from the session before it', async () => {
    const options = optionsFor(tripApp({ answers: bookAnswers }));
    const ref = { appName: 'trips', userId: 'ann', sessionId: 's' };
    await options.sessionService.createSession({ ...ref, state: { 'user:name': 'Ann', trip: 1 } });
    const events = await Array.fromAsync(new Runner(options).runAsync({ ...hello, sessionId: 's' }));
    const recording = await recordRun(options, answerRequest(events));
    expect(recording.session).toMatchObject({ state: { 'user:name': 'Ann', trip: 1 } });
    expect(recording.session!.events.length).toBeGreaterThan(2);
    const result = await replayRun(recording, tripApp());
    expect(result.text).toMatch(/^Equal: /);
  });

  it('returns the recorded results of steps of an agent, and runs none of them', async () => {
    let charged = 0;
    const custom = (...steps: string[]): Agent => ({
      name: 'custom',
      async *runAsync(context) {
        const results: unknown[] = [];
        for (const name of steps) {
          const run = (): number => {
            if (++charged % 2 === 0) throw new Error('No money.');
            return charged;
          };
          results.push(await context.step(name, run).catch((error: Error) => error.message));
        }
        const content = { role: 'model' as const, parts: [{ text: results.join() }] };
        yield createEvent({ author: 'custom', invocationId: context.invocationId, content }, context.runtime);
      },
    });
    const recording = await recordRun(optionsFor({ name: 'trips', rootAgent: custom('a', 'b', 'a') }), hello);
    expect(recording.runs[0]!.events.at(-1)!.content!.parts![0]!.text).toBe('1,No money.,3');
    const read = JSON.parse(JSON.stringify(recording)) as Recording;
    expect(await replayRun(read, custom('a', 'b', 'a'))).toMatchObject({ equal: true });
    const more = await replayRun(read, custom('a', 'b', 'a', 'a'));
    expect(more.text).toMatch(/^Event 2: call 3 of the step a of custom differs/);
    expect((await replayRun(read, custom('a', 'b'))).equal).toBe(false);
    expect(charged).toBe(3);
  });

  it('replays a recording of an older version, whose steps have no changes', async () => {
    const custom: Agent = {
      name: 'custom',
      async *runAsync(context) {
        const text = await context.step('greet', () => 'Hi.');
        const content = { role: 'model' as const, parts: [{ text }] };
        yield createEvent({ author: 'custom', invocationId: context.invocationId, content }, context.runtime);
      },
    };
    const recording = await recordRun(optionsFor({ name: 'trips', rootAgent: custom }), hello);
    for (const step of recording.runs[0]!.steps!) {
      delete step.stateDelta;
      delete step.artifactDelta;
    }
    expect(await replayRun(recording, custom)).toMatchObject({ equal: true });
  });

  it('runs a step again that made calls or other steps, with their recorded answers', async () => {
    let charged = 0;
    const custom = (): Agent => {
      const child = new LlmAgent({ name: 'child', model: new ScriptedLlm(says('From the child.')) });
      const ask = async (context: InvocationContext): Promise<string> => {
        const events = await Array.fromAsync(context.runChild({ agent: child, message: 'Hello.' }));
        return `${textOf(events.at(-1)?.content)} ${await context.step('charge', () => ++charged)}`;
      };
      return {
        name: 'custom',
        async *runAsync(context) {
          const text = await context.step('ask', () => ask(context));
          const content = { role: 'model' as const, parts: [{ text }] };
          yield createEvent({ author: 'custom', invocationId: context.invocationId, content }, context.runtime);
        },
      };
    };
    const recording = await recordRun(optionsFor({ name: 'trips', rootAgent: custom() }), hello);
    expect(recording.runs[0]!.events.at(-1)!.content!.parts![0]!.text).toBe('From the child. 1');
    expect(await replayRun(recording, custom())).toMatchObject({ equal: true });
    expect(charged).toBe(1);
  });

  it('runs a step of a tool again that ran an agent', async () => {
    const root = (): LlmAgent => {
      const child = new LlmAgent({ name: 'child', model: new ScriptedLlm(says('Clear.')) });
      const runAsync: Tool['runAsync'] = ({ toolContext }) =>
        toolContext.step('ask', async () => {
          const events = await Array.fromAsync(toolContext.runChild({ agent: child, message: 'Hello.' }));
          return textOf(events.at(-1)?.content);
        });
      const model = new ScriptedLlm(calls('weather'), says('Clear skies.'));
      return new LlmAgent({ name: 'root', model, tools: [{ ...weather, runAsync }] });
    };
    const recording = await recordRun(optionsFor({ name: 'trips', rootAgent: root() }), hello);
    expect(await replayRun(recording, root())).toMatchObject({ equal: true });
  });

  it('replays a recorded abort that a tool has ignored', async () => {
    const create = (): LlmAgent => {
      const stuck: Tool = { ...weather, name: 'stuck', runAsync: () => new Promise(() => {}) };
      const model = new ScriptedLlm(calls('stuck'), says('Hello again.'));
      return new LlmAgent({ name: 'root', model, tools: [stuck] });
    };
    const stop = new AbortController();
    const options = { ...optionsFor({ name: 'trips', rootAgent: create() }), autoCreateSession: true };
    const runtime = systemRuntime();
    const onEvent = ({ content }: Event): void => {
      if (content?.parts?.[0]?.functionCall) setImmediate(() => stop.abort());
    };
    const first = { ...hello, sessionId: 's', abortSignal: stop.signal, runConfig: { cleanupMs: 1 } };
    const recording = await recordRun({ ...options, runtime }, [first, { ...hello, sessionId: 's' }], { onEvent });
    expect(recording.runs[0]!.calls.at(-1)).toMatchObject({ tool: 'stuck', isUnstopped: true });
    expect((await replayRun(recording, create())).text).toMatch(/^Equal: /);
  });

  it('is equal for an app with compaction, because compactions are off', async () => {
    const summarize = (): never => throwValue(new Error('A recording summarizes nothing.'));
    const model = new ScriptedLlm(says('One.'), says('Two.'));
    const rootAgent = new LlmAgent({ name: 'root', model });
    const app = { name: 'trips', rootAgent, compaction: { interval: 1, summarizer: { summarize } } };
    const request = { ...hello, sessionId: 's' };
    const options = { ...optionsFor(app), autoCreateSession: true };
    const recording = await recordRun(options, [request, request]);
    expect(await replayRun(recording, app)).toMatchObject({ equal: true });
    expect((options.runtime as FixedRuntime).logs).toEqual([]);
  });

  it('works for a prompt with the date, if the test library has set the date', async () => {
    vi.useFakeTimers({ now: 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    const create = (): LlmAgent => {
      const instruction = (): string => `Today is ${new Date().toISOString().slice(0, 10)}.`;
      return new LlmAgent({ name: 'root', model: new ScriptedLlm(says('Hello.')), instruction });
    };
    const recording = await recordRun(optionsFor({ name: 'trips', rootAgent: create() }), hello);
    expect(JSON.stringify(recording.runs[0]!.calls)).toContain('Today is 1970-01-02.');
    expect(await replayRun(recording, create())).toMatchObject({ equal: true });
  });

  it('repeats changes of state and artifacts in steps, and runs a step again after a pause', async () => {
    const custom = (): Agent => ({
      name: 'custom',
      async *runAsync(context) {
        await context.step('save', async () => {
          context.state.set('plan', 'Rome');
          await context.saveArtifact('plan.txt', { text: 'Rome' });
        });
        const answer = await context.step('ask', () => context.requestInput({ message: 'Which?' }));
        const content = {
          role: 'model' as const,
          parts: [{ text: JSON.stringify([context.state.get('plan'), answer]) }],
        };
        yield createEvent({ author: 'custom', invocationId: context.invocationId, content }, context.runtime);
      },
    });
    const options = optionsFor({ name: 'trips', rootAgent: custom() });
    const artifactService = new InMemoryArtifactService();
    const first = { ...hello, sessionId: 's' };
    const recording = await recordRun({ ...options, artifactService, autoCreateSession: true }, [first, answerRequest]);
    expect(recording.runs[1]!.events.at(-1)!.content!.parts![0]!.text).toBe('["Rome","yes"]');
    expect(await replayRun(recording, custom())).toMatchObject({ equal: true });
  });

  it('names a step that an agent does not run any more', async () => {
    const custom = (steps: string[]): Agent => ({
      name: 'custom',
      async *runAsync(context) {
        for (const name of steps) await context.step(name, () => name);
        const content = { role: 'model' as const, parts: [{ text: 'Done.' }] };
        yield createEvent({ author: 'custom', invocationId: context.invocationId, content }, context.runtime);
      },
    });
    const recording = await recordRun(optionsFor({ name: 'trips', rootAgent: custom(['a', 'b']) }), hello);
    const { difference, text } = await replayRun(recording, custom(['a']));
    expect(difference).toMatchObject({ call: 'the step b of custom', actual: undefined });
    expect(text).toContain('"result":"b"');
  });

  it('names a member that is called like a method of all objects', async () => {
    const agent = (): LlmAgent =>
      new LlmAgent({
        name: 'root',
        model: new ScriptedLlm(calls('weather', { constructor: 1 }), says('Clear.')),
        tools: [{ ...weather, runAsync: async () => 'clear' }],
      });
    const recording = await recordRun(optionsFor({ name: 'trips', rootAgent: agent() }), hello);
    const [, call] = recording.runs[0]!.calls as { args: object }[];
    call!.args = {};
    const { difference, text } = await replayRun(recording, agent());
    expect(difference).toMatchObject({ path: 'constructor', expected: undefined, actual: 1 });
    expect(text).toContain('recorded: nothing');
  });

  it('keeps the recorded order of agents that run in parallel', async () => {
    const waits = (ms: number, text: string) => async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return says(text);
    };
    const ended: string[] = [];
    const branch = (name: string, model: ScriptedLlm) =>
      new LlmAgent({ name, model, afterAgentCallback: () => void ended.push(name) });
    const parallel = (slow: ScriptedLlm, fast: ScriptedLlm) =>
      new ParallelAgent({ name: 'both', subAgents: [branch('slow', slow), branch('fast', fast)] });
    const rootAgent = parallel(new ScriptedLlm(waits(30, 'one')), new ScriptedLlm(says('two')));
    const recording = await recordRun(optionsFor({ name: 'trips', rootAgent }), hello);
    expect(recording.runs[0]!.events.map(({ author }) => author)).toEqual(['user', 'fast', 'slow']);
    expect(await replayRun(recording, parallel(new ScriptedLlm(), new ScriptedLlm()))).toMatchObject({ equal: true });
    expect(ended).toEqual(['fast', 'slow', 'fast', 'slow']);
  });

  it('accepts another order of the events of parallel branches, which depends on timing', async () => {
    const branches = ['fast', 'slow'].map(
      (name) => new LlmAgent({ name, model: new ScriptedLlm(calls('none', {}), says('Done.')) }),
    );
    const rootAgent = new ParallelAgent({ name: 'both', subAgents: branches });
    const recording = await recordRun(optionsFor({ name: 'trips', rootAgent }), hello);
    const [run] = recording.runs;
    const [message, ...events] = run!.events;
    run!.events = [message!, ...events.toSorted((a, b) => a.branch!.localeCompare(b.branch!))];
    expect(run!.events.map(({ author }) => author).join(' ')).toBe('user fast fast fast slow slow slow');
    expect(await replayRun(recording, rootAgent)).toMatchObject({ equal: true });
    run!.events.splice(2, 1);
    expect(await replayRun(recording, rootAgent)).toMatchObject({ difference: { index: 2, path: 'content.role' } });
  });

  it('accepts another order of the answers to the calls of one turn, which depends on timing', async () => {
    const answer = new ScriptedLlm(callsAll(['weather', {}, 'a'], ['late', {}, 'b']), says('Done.'));
    const late: Tool = { ...weather, name: 'late', runAsync: async () => throwValue(new Error('Too late.')) };
    const agent = new LlmAgent({ name: 'root', model: answer, tools: [weather, late] });
    const recording = await recordRun({ appName: 'trips', agent, sessionService: new InMemorySessionService() }, hello);
    const { events } = recording.runs[0]!;
    [events[2], events[3]] = [events[3]!, events[2]!];
    expect((await replayRun(recording, agent)).text).toBe('Equal: 5 events.');
  });

  it('shows the answers to the calls of one turn to other agents in the recorded order', async () => {
    const late: Tool = { ...weather, name: 'late', runAsync: async () => throwValue(new Error('Too late.')) };
    const answer = { role: 'model' as const, parts: [{ text: 'Go.' }] };
    const expert = new AgentTool({
      agent: new LlmAgent({ name: 'expert', model: new ScriptedLlm(), beforeAgentCallback: () => answer }),
    });
    const agent = new LlmAgent({
      ...{ name: 'root', tools: [weather, late, expert], afterToolCallback: async () => undefined },
      subAgents: [new LlmAgent({ name: 'guide', model: new ScriptedLlm(says('Done.')) })],
      model: new ScriptedLlm(
        callsAll(['expert', { request: 'Where?' }], ['weather'], ['late']),
        calls('transfer_to_agent', { agent_name: 'guide' }),
      ),
    });
    const recording = await recordRun({ appName: 'trips', agent, sessionService: new InMemorySessionService() }, hello);
    const answers = recording.runs[0]!.events.slice(2, 5).flatMap((event) => getFunctionResponses(event));
    expect(answers.map(({ name }) => name)).toEqual(['late', 'weather', 'expert']);
    expect((await replayRun(recording, agent)).text).toBe('Equal: 8 events.');
  });

  it('lets a call that starts after a time limit end before its own time limit', async () => {
    const slow: Tool = { ...weather, name: 'slow', timeoutMs: 2, runAsync: () => new Promise(() => {}) };
    const fast: Tool = { ...weather, name: 'fast', timeoutMs: 2 };
    const model = new ScriptedLlm(callsAll(['slow'], ['fast']), says('Done.'));
    const agent = new LlmAgent({ name: 'root', model, tools: [slow, fast] });
    const options = { appName: 'trips', agent, sessionService: new InMemorySessionService() };
    const recording = await recordRun(options, { ...hello, runConfig: { maxParallelTools: 1 } });
    expect((await replayRun(recording, agent)).text).toBe('Equal: 5 events.');
  });

  it('replays concurrent calls of an agent tool whose model calls were started in another order', async () => {
    const late: Tool = { ...weather, name: 'late', runAsync: async () => throwValue(new Error('Too late.')) };
    const model: Llm = {
      ...{ model: 'uneven', specVersion: 1 },
      async *generateContentAsync({ contents }) {
        if (contents.length > 1) yield says('Done.');
        else yield calls(textOf(contents[0]) === 'first' ? 'weather' : 'late');
      },
    };
    const guide = new LlmAgent({
      ...{ name: 'guide', model, tools: [weather, late], afterToolCallback: async () => undefined },
    });
    const twice = callsAll(['guide', { request: 'first' }], ['guide', { request: 'second' }]);
    const tools = [new AgentTool({ agent: guide })];
    const agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(twice, says('Done.')), tools });
    const recording = await recordRun({ appName: 'trips', agent, sessionService: new InMemorySessionService() }, hello);
    expect((await replayRun(recording, agent)).text).toBe('Equal: 5 events.');
  });

  it('replays and validates the typed answer of an agent with tools', async () => {
    const model = new ScriptedLlm(
      calls('set_model_response', { city: 5 }),
      calls('set_model_response', { city: 'Oslo' }),
    );
    const agentWith = (type: string): LlmAgent =>
      new LlmAgent({
        ...{ name: 'root', model, tools: [weather] },
        outputSchema: { type: 'object', properties: { city: { type } }, required: ['city'] },
      });
    const options = { appName: 'trips', agent: agentWith('string'), sessionService: new InMemorySessionService() };
    const recording = await recordRun({ ...options, autoCreateSession: true }, hello);
    expect((await replayRun(recording, agentWith('string'))).text).toBe('Equal: 6 events.');
    expect((await replayRun(recording, agentWith('boolean'))).equal).toBe(false);
  });

  it('rejects an app that is missing with INVALID_INPUT', async () => {
    const recording = await record(weatherAnswers);
    const expected = { code: 'INVALID_INPUT', message: 'app must be an app or its root agent, got undefined.' };
    await expect(replayRun(recording, undefined as never)).rejects.toMatchObject(expected);
  });

  it('reads a recording from a file, and rejects other files with RECORDING_INVALID', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'thole-replay-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'recordings', 'run.json'); // In a folder that does not exist.
    await recordRun(optionsFor(tripApp({ answers: weatherAnswers })), hello, { file });
    expect(await replayRun(file, tripApp())).toMatchObject({ equal: true });
    const recording = JSON.parse(await readFile(file, 'utf8')) as Recording;
    await writeFile(file, `\uFEFF${JSON.stringify(recording)}`); // Some editors write a byte order mark.
    expect(await replayRun(file, tripApp())).toMatchObject({ equal: true });
    const [run] = recording.runs;
    const withRun = (changes: object): object => ({ ...recording, runs: [{ ...run, ...changes }] });
    const wrong: [content: object, problem: string][] = [
      [[], 'must be an object with a version'],
      [{}, 'must be an object with a version'],
      [{ ...recording, version: 2 }, 'has the version 2, but this package reads version 1'],
      [{ ...recording, runs: [] }, 'must have at least one run'],
      [{ ...recording, app: {} }, 'must have app.name'],
      ...['userId', 'sessionId', 'state', 'events'].map((name): [object, string] => [
        { ...recording, session: { userId: 'ann', sessionId: 's', state: {}, events: [], [name]: undefined } },
        'must have a session with userId, sessionId, state and events, or null',
      ]),
      [
        { ...recording, session: { userId: 'ann', sessionId: 's', state: { 'user:': NaN }, events: [{}] } },
        'has a session that cannot be restored',
      ],
      [withRun({ ids: [null] }), 'has a wrong member in runs[0].ids'],
      [withRun({ ids: [{}] }), 'has a wrong member in runs[0].ids'],
      [withRun({ ids: [['a', 'b', '3']] }), 'has a wrong member in runs[0].ids'],
      [withRun({ random: undefined }), 'must have request, events, calls, ids and random in runs[0]'],
      [withRun({ events: [null] }), 'has a wrong member in runs[0].events'],
      [withRun({ steps: [null] }), 'must have a list of objects in runs[0].steps'],
      [withRun({ calls: [{}] }), 'has a wrong call in runs[0].calls[0]'],
      [withRun({ calls: [{ ...run!.calls[1], tool: 1 }] }), 'has a wrong call in runs[0].calls[0]'],
      [withRun({ calls: [{ ...run!.calls[1], steps: [null] }] }), 'has a wrong call in runs[0].calls[0]'],
    ];
    for (const [content, problem] of wrong) {
      await writeFile(file, JSON.stringify(content));
      const message = `The recording ${file} ${problem}. Check the path, or record the run again.`;
      await expect(replayRun(file, tripApp())).rejects.toMatchObject({ code: 'RECORDING_INVALID', message });
      await expect(replayRun(content as Recording, tripApp())).rejects.toMatchObject({
        message: `The recording ${problem}. Record the run again.`,
      });
    }
    for (const [content, problem] of [
      ['{', 'is not JSON'],
      [Buffer.from([0xff, 0xfe]), 'is not UTF-8 text'],
    ] as const) {
      await writeFile(file, content);
      await expect(replayRun(file, tripApp())).rejects.toThrow(`The recording ${file} ${problem}.`);
    }
    await expect(replayRun(folder, tripApp())).rejects.toThrow(`The recording ${folder} cannot be read.`);
    await expect(replayRun(join(folder, 'none'), tripApp())).rejects.toMatchObject({ code: 'RECORDING_INVALID' });
  });

  it('ends if the recording of a run that did not fail has no end of a call', async () => {
    const recording = await record(weatherAnswers);
    delete recording.runs[0]!.calls[0]!.end;
    const { difference, text } = await replayRun(recording, tripApp());
    expect(difference).toMatchObject({ index: 1, path: 'errorMessage', expected: undefined });
    expect(text).toContain('the recording does not contain the end of this call');
  });
});
