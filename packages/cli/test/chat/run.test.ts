import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Llm } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseSessionService } from '@thole/sql-services';
import { calls, callsAll, fails, hangs, says, ScriptedLlm, streams, thinks } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { FunctionTool, loadMemoryTool, LongRunningFunctionTool, rememberTool } from '@thole/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';
import type { Outcome, TholeOptions } from '../support/thole.ts';

const weather = new FunctionTool({
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  execute: ({ city }) => ({ sky: city === 'Paris' ? 'blue\u001b[31m' : 'grey' }),
});
const ask = new LongRunningFunctionTool({
  name: 'ask',
  description: 'Asks somebody.',
  execute: () => ({ asked: true }),
});

interface Place {
  cwd: string;
  model: ScriptedLlm;
  run(args: readonly string[], options?: TholeOptions): Promise<Outcome>;
}

type Answer = Extract<ScriptedAnswer, (...args: never) => unknown>;

/** An agent called hello that answers from a script, and what runs it. */
function helloThat(...answers: ScriptedAnswer[]): Place {
  const cwd = temporaryFolder({ 'hello/agent.ts': '' });
  const model = new ScriptedLlm(...answers);
  const module = { rootAgent: new LlmAgent({ name: 'hello', model, tools: [weather, ask] }) };
  const run = (args: readonly string[], options: TholeOptions = {}): Promise<Outcome> =>
    thole(['run', 'hello', ...args], { cwd, modules: { 'hello/agent.ts': module }, ...options });
  return { cwd, model, run };
}

function sessionsIn(cwd: string): DatabaseSessionService {
  const service = new DatabaseSessionService(`sqlite:///${cwd}/.thole/sessions.db`);
  onTestFinished(() => service.close());
  return service;
}

const ref = { appName: 'hello', userId: 'user' };

describe('thole run from a pipe', () => {
  it('says each line and writes each answer, and keeps the session', async () => {
    const { cwd, run } = helloThat(streams('Good ', 'day.'), says('Bye.'));
    const { code, output, errors } = await run([], { input: '\uFEFFHello\r\n\r\n  \nBye' });
    expect({ code, output }).toEqual({ code: 0, output: 'hello: Good day.\nhello: Bye.\n' });
    expect(errors).toMatch(/^hello is ready\. .*\nThis was session (\S+): --resume \1 goes on with it\.\n$/);
    const { sessions } = await sessionsIn(cwd).listSessions(ref);
    expect(sessions).toHaveLength(1);
  });

  it('shows a tool call with what it answered on one line, without control characters', async () => {
    const { run } = helloThat(callsAll(['weather', { city: 'Paris' }], ['weather', { city: 'Rome' }]), says('Fine.'));
    const { output } = await run([], { input: 'How is it?\n' });
    expect(output).toBe(
      '  [weather(city: "Paris") → sky: "blue\\u001b[31m"]\n  [weather(city: "Rome") → sky: "grey"]\nhello: Fine.\n',
    );
  });

  it('names a call that waits for an answer from outside, with its id', async () => {
    const { run } = helloThat(calls('ask', {}, 'c1'));
    const { output } = await run(['Ask them.']);
    expect(output).toBe('  [ask() → asked: true]\n  [ask() waits for an answer; its id is c1]\n');
  });

  it('does not show thoughts', async () => {
    const { run } = helloThat(thinks('Hm.', 'Yes.'));
    expect((await run(['Well?'])).output).toBe('hello: Yes.\n');
  });

  it('leaves at exit and at /quit, and tells of commands it does not have', async () => {
    for (const word of ['exit', '/quit']) {
      const { model, run } = helloThat(says('Never.'));
      const { code, output } = await run([], { input: `/help\n/dance\n${word}\nHello\n` });
      expect(code).toBe(0);
      expect(output).toContain('/quit');
      expect(output).toContain('There is no command /dance. /help lists the commands.');
      expect(model.requests).toEqual([]);
    }
  });

  it('/new begins another session', async () => {
    const { cwd, run } = helloThat(says('One.'), says('Two.'));
    await run([], { input: 'a\n/new\nb\n' });
    expect((await sessionsIn(cwd).listSessions(ref)).total).toBe(2);
  });

  it('ends with 1 when an answer failed, after the rest was said', async () => {
    const { run } = helloThat(fails('MODEL_AUTH'), says('Again.'));
    const { code, output } = await run([], { input: 'a\nb\n' });
    expect(code).toBe(1);
    expect(output).toMatch(/^! MODEL_AUTH: [^\n]+\nhello: Again\.\n$/);
  });

  it('shows the causes of an error, and with --verbose its stack', async () => {
    const failing = fails(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 10.0.0.7:443') }));
    const quiet = await helloThat(failing).run(['Hello']);
    expect(quiet.code).toBe(1);
    expect(quiet.output).toMatch(/^! MODEL_FAILED: [^\n]+TypeError: fetch failed[^\n]+ECONNREFUSED 10\.0\.0\.7:443\n$/);
    const { output } = await helloThat(failing).run(['--verbose', 'Hello']);
    expect(output).toContain('TypeError: fetch failed\n');
    expect(output).toMatch(/\n +at .*run\.test\.ts:\d+/);
  });

  it('ends with 0 for an empty input and keeps no session', async () => {
    const { cwd, run } = helloThat();
    const { code, output } = await run([], { input: '' });
    expect({ code, output }).toEqual({ code: 0, output: '' });
    expect((await sessionsIn(cwd).listSessions(ref)).total).toBe(0);
  });

  it('streams: each word is there before the next one is said', async () => {
    const place = holding();
    const outcome = place.run(['Hi']);
    await place.until('hello: Good ');
    place.goOn();
    expect((await outcome).output).toBe('hello: Good day.\n');
  });

  it('shows whole answers with --no-stream, and asks the model for no parts', async () => {
    const place = holding();
    const outcome = place.run(['Hi', '--no-stream']);
    await place.until('asked whole');
    place.goOn();
    expect((await outcome).output).toBe('hello: Good day.\n');
  });
});

/** An agent called hello that says half of its answer, and the rest when it may go on. */
function holding() {
  const cwd = temporaryFolder({ 'hello/agent.ts': '' });
  const [rest, half] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const seen = { output: '', asked: '' };
  const whole = { content: { role: 'model' as const, parts: [{ text: 'Good day.' }] } };
  const model: Llm = {
    model: 'halves',
    specVersion: 1,
    async *generateContentAsync(_request, { stream }) {
      seen.asked = stream ? 'asked in parts' : 'asked whole';
      half.resolve();
      if (stream) yield { content: { role: 'model', parts: [{ text: 'Good ' }] }, partial: true };
      await rest.promise;
      if (stream) yield { content: { role: 'model', parts: [{ text: 'day.' }] }, partial: true };
      yield whole;
    },
  };
  const modules = { 'hello/agent.ts': { rootAgent: new LlmAgent({ name: 'hello', model }) } };
  return {
    run: (args: readonly string[]): Promise<Outcome> =>
      thole(['run', 'hello', ...args], { cwd, modules, onOutput: (output) => (seen.output = output) }),
    /** Resolves when this was written, or is how the model was asked. */
    async until(text: string): Promise<void> {
      await half.promise;
      await expect.poll(() => [seen.output, seen.asked]).toContain(text);
      if (seen.asked === 'asked whole') expect(seen.output).toBe('');
    },
    goOn: () => rest.resolve(),
  };
}

describe('interrupting', () => {
  it('stops the answer that is given and goes on; without one it leaves', async () => {
    let stop = (): void => {};
    const { model, run } = helloThat((request, options) => {
      stop();
      return (hangs() as Answer)(request, options);
    }, says('Here I am.'));
    const input = new PassThrough();
    input.write('Hello\n');
    const ended = run([], {
      input,
      onStart: (interrupt) => (stop = interrupt),
      onOutput: (output) => {
        if (output === '(stopped)\n') input.write('Are you there?\n/help\n');
        // The commands are listed when nothing is being answered any more.
        if (output.includes('/quit')) stop();
      },
    });
    const { code, output } = await ended;
    expect(code).toBe(0);
    expect(output).toContain('(stopped)\nhello: Here I am.\n');
    expect(model.requests).toHaveLength(2);
  });

  it('ends a single message with 130', async () => {
    let stop = (): void => {};
    const { run } = helloThat((request, options) => {
      stop();
      return (hangs() as Answer)(request, options);
    });
    const outcome = run(['Hi'], { onStart: (interrupt) => (stop = interrupt) });
    expect(await outcome).toEqual({ code: 130, output: '(stopped)\n', errors: '' });
  });
});

describe('sessions', () => {
  it('goes on with the session of --session_id, which the first run has made', async () => {
    const { cwd, model, run } = helloThat(says('One.'), says('Two.'));
    await run(['first', '--session_id', 'monday', '--user_id', 'ada']);
    await run(['second', '--session-id=monday', '--user-id', 'ada']);
    expect(JSON.stringify(model.requests[1]!.contents)).toContain('first');
    expect((await sessionsIn(cwd).listSessions({ ...ref, userId: 'ada' })).total).toBe(1);
  });

  it('--resume with an id shows what was said and goes on', async () => {
    const { run } = helloThat(says('One.'), calls('weather', { city: 'Rome' }), says('Grey.'), says('Three.'));
    const { errors } = await run([], { input: 'first\nsecond\n' });
    const [, id] = /--resume (\S+)/.exec(errors)!;
    const { output, code } = await run(['--resume', id!], { input: 'third\n' });
    expect(code).toBe(0);
    expect(output).toBe(
      'user: first\nhello: One.\nuser: second\n  [weather(city: "Rome") → sky: "grey"]\nhello: Grey.\nhello: Three.\n',
    );
  });

  it('--resume refuses an id that the user does not have', async () => {
    const { run } = helloThat();
    const { code, errors } = await run(['--resume', 'nobody']);
    expect(code).toBe(1);
    expect(errors).toBe('error: user has no session nobody with hello, and there is no such file.\n');
  });

  it('--save_session writes the session next to the agent, and --resume takes the file up in another place', async () => {
    const { cwd, run } = helloThat(calls('weather', { city: 'Rome' }), says('Grey.'));
    const { code, errors } = await run(['How is it?', '--session_id', 'a/b', '--save_session']);
    expect({ code, errors }).toEqual({ code: 0, errors: 'Saved the session as hello/a%2Fb.session.json.\n' });
    const text = readFileSync(join(cwd, 'hello/a%2Fb.session.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      id: 'a/b',
      appName: 'hello',
      userId: 'user',
      events: [{ author: 'user' }, {}, {}, {}],
    });

    const other = helloThat(says('Still grey.'));
    writeFiles(other.cwd, { 'saved.json': text });
    const resumed = await other.run(['--resume', 'saved.json'], { input: 'And now?\n' });
    expect(resumed.output).toBe(
      'user: How is it?\n  [weather(city: "Rome") → sky: "grey"]\nhello: Grey.\nhello: Still grey.\n',
    );
    expect(JSON.stringify(other.model.requests[0]!.contents)).toContain('How is it?');
  });

  it('--resume of a file brings its state, and leaves what the user has by now', async () => {
    const { cwd, run } = helloThat(says('Hi.'));
    const service = sessionsIn(cwd);
    await service.createSession({ ...ref, sessionId: 'other', state: { 'user:name': 'Ada', 'app:motto': 'new' } });
    const event = {
      author: 'user',
      content: { role: 'user', parts: [{ text: 'a' }] },
      actions: { stateDelta: { 'user:name': 'Old', cart: 2 } },
    };
    const state = { first: 1, cart: 2, 'user:name': 'Old', 'user:age': 7, 'app:motto': 'old', 'temp:x': 1 };
    writeFiles(cwd, { 's.json': JSON.stringify({ state, events: [event] }) });
    expect((await run(['b', '--resume', 's.json', '--session_id', 'mine'])).code).toBe(0);
    const session = await service.getSession({ ...ref, sessionId: 'mine' });
    expect(session?.state).toEqual({ first: 1, cart: 2, 'user:name': 'Ada', 'user:age': 7, 'app:motto': 'new' });
  });

  it('--replay says the queries over the state, and ends', async () => {
    const cwd = temporaryFolder({
      'hello/agent.ts': '',
      'q.json': '{"state": {"city": "Paris"}, "queries": ["a", "b"]}',
    });
    const model = new ScriptedLlm(says('One.'), says('Two.'));
    const module = { rootAgent: new LlmAgent({ name: 'hello', model, instruction: 'You are in {city}.' }) };
    const modules = { 'hello/agent.ts': module };
    const outcome = await thole(['run', 'hello', '--replay', 'q.json'], { cwd, modules, input: 'never said\n' });
    expect(outcome).toEqual({ code: 0, output: 'user: a\nhello: One.\nuser: b\nhello: Two.\n', errors: '' });
    expect(model.requests[0]!.config?.systemInstruction).toContain('Paris');
  });

  it.each([
    ['{"queries": "a"}', 'queries of q.json must be a list of strings.'],
    ['{"queries": [1]}', 'queries of q.json must be a list of strings.'],
    ['{"queries": [], "state": []}', 'state of q.json must be an object.'],
    ['[]', 'q.json must hold a JSON object.'],
    ['{', 'q.json must be JSON.'],
  ])('--replay refuses %s and opens nothing', async (text, sentence) => {
    const { cwd, run } = helloThat();
    writeFiles(cwd, { 'q.json': text });
    expect(await run(['--replay', 'q.json'])).toEqual({ code: 2, output: '', errors: `error: ${sentence}\n` });
    expect(existsSync(join(cwd, '.thole'))).toBe(false);
  });

  it.each([
    [['--user_id', ''], '--user_id must not be empty.'],
    [['--replay', 'gone.json'], 'gone.json cannot be read.'],
    [['--resume', 'gone.json'], 'There is no file gone.json.'],
    [['--resume', 'x', '--session_id', 'y'], '--resume names a session already: give no --session_id with it.'],
    [['hi', '--replay', 'x'], '--replay brings its own session and messages: give no message with it.'],
    [['--resume', 'x', '--replay', 'x'], '--replay brings its own session and messages: give no --resume with it.'],
  ])('refuses %j', async (args, sentence) => {
    expect(await helloThat().run(args)).toEqual({ code: 2, output: '', errors: `error: ${sentence}\n` });
  });
});

describe('services', () => {
  it('are those of the options', async () => {
    const { cwd, run } = helloThat(says('Hi.'));
    expect((await run(['Hi', '--session_service_uri', 'sqlite:///mine.db'])).code).toBe(0);
    expect(readdirSync(cwd).sort()).toContain('mine.db');
    expect(existsSync(join(cwd, '.thole', 'sessions.db'))).toBe(false);
  });

  it('are those of the options for memory too: an agent finds what an earlier run was told to remember', async () => {
    const cwd = temporaryFolder({ 'agent.ts': '' });
    const model = new ScriptedLlm(
      calls('remember', { fact: 'Likes figs.' }),
      says('Noted.'),
      calls('load_memory', { query: 'figs' }),
      says('You like figs.'),
    );
    const agent = new LlmAgent({ name: 'a', model, tools: [rememberTool(), loadMemoryTool()] });
    const modules = { 'agent.ts': { rootAgent: agent } };
    const argv = ['run', '.', '--session_service_uri', 'memory://', '--memory_service_uri', 'sqlite:///memory.db'];
    await thole([...argv, 'I like figs.'], { cwd, modules });
    await thole([...argv, 'What do I like?'], { cwd, modules });
    expect(JSON.stringify(model.requests.at(-1)!.contents)).toContain('Likes figs.');
    model.assertDone();
  });

  it('are the runner’s own where the agent exports one: nothing is opened', async () => {
    const cwd = temporaryFolder({ 'agent.ts': '' });
    const agent = new LlmAgent({ name: 'a', model: new ScriptedLlm(says('Hi.')) });
    const runner = new Runner({ appName: 'own', agent, sessionService: new InMemorySessionService() });
    const outcome = await thole(['run', '.', 'Hi'], { cwd, modules: { 'agent.ts': { runner } } });
    expect(outcome).toEqual({ code: 0, output: 'a: Hi.\n', errors: '' });
    expect(existsSync(join(cwd, '.thole'))).toBe(false);
  });
});

describe('what cannot run', () => {
  it.each([
    ['gpt-5.5', 'OPENAI_API_KEY'],
    ['openai/any', 'OPENAI_API_KEY'],
    ['gemini-2.5-flash', 'GEMINI_API_KEY'],
    ['gemini/any', 'GEMINI_API_KEY'],
  ])('tells of %s without its key, %s, in one line', async (model, key) => {
    const cwd = temporaryFolder({ 'agent.ts': '' });
    const modules = { 'agent.ts': { rootAgent: new LlmAgent({ name: 'a', model }) } };
    const { code, output } = await thole(['run', '.', 'Hi'], { cwd, modules, env: {} });
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^! INVALID_INPUT: [^\\n]*${key}[^\\n]*\\n$`));
  });

  it('tells of a broken file in one line and ends with 1', async () => {
    const cwd = temporaryFolder({ 'agent.ts': 'enum A { B }' });
    const { code, output, errors } = await thole(['run', 'agent.ts'], { cwd });
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(/^error: agent\.ts:1: TypeScript enum is not supported[^\n]*\n$/);
  });
});
