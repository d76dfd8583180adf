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
  description: 'Asks a person.',
  execute: () => ({ asked: true }),
});

interface HelloAgent {
  cwd: string;
  model: ScriptedLlm;
  run(args: readonly string[], options?: TholeOptions): Promise<Outcome>;
}

type Answer = Extract<ScriptedAnswer, (...args: never) => unknown>;

/** Creates an agent `hello` that answers from a script. */
function createHello(...answers: ScriptedAnswer[]): HelloAgent {
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
  it('sends each line, writes each answer, and stores the session', async () => {
    const { cwd, run } = createHello(streams('Good ', 'day.'), says('Bye.'));
    const { code, output, errors } = await run([], { input: '\uFEFFHello\r\n\r\n  \nBye' });
    expect({ code, output }).toEqual({ code: 0, output: 'hello: Good day.\nhello: Bye.\n' });
    expect(errors).toMatch(/^hello is ready\. .*\nTo continue this session: --resume \S+\n$/);
    const { sessions } = await sessionsIn(cwd).listSessions(ref);
    expect(sessions).toHaveLength(1);
  });

  it('shows a tool call and its answer on one line, without control characters', async () => {
    const { run } = createHello(callsAll(['weather', { city: 'Paris' }], ['weather', { city: 'Rome' }]), says('Fine.'));
    const { output } = await run([], { input: 'How is it?\n' });
    expect(output).toBe(
      '  [weather(city: "Paris") → sky: "blue\\u001b[31m"]\n  [weather(city: "Rome") → sky: "grey"]\nhello: Fine.\n',
    );
  });

  it('shows a call that waits for an external answer, with its id', async () => {
    const { run } = createHello(calls('ask', {}, 'c1'));
    const { output } = await run(['Ask them.']);
    expect(output).toBe('  [ask() → asked: true]\n  [ask() waits for an answer; its id is c1]\n');
  });

  it('does not show thoughts', async () => {
    const { run } = createHello(thinks('Hm.', 'Yes.'));
    expect((await run(['Well?'])).output).toBe('hello: Yes.\n');
  });

  it('quits at exit and /quit, and rejects unknown commands', async () => {
    for (const word of ['exit', '/quit']) {
      const { model, run } = createHello(says('Never.'));
      const { code, output } = await run([], { input: `/help\n/dance\n${word}\nHello\n` });
      expect(code).toBe(0);
      expect(output).toContain('/quit');
      expect(output).toContain('There is no command /dance. /help lists the commands.');
      expect(model.requests).toEqual([]);
    }
  });

  it('starts a new session with /new', async () => {
    const { cwd, run } = createHello(says('One.'), says('Two.'));
    await run([], { input: 'a\n/new\nb\n' });
    expect((await sessionsIn(cwd).listSessions(ref)).total).toBe(2);
  });

  it('removes, repeats and copies with /rewind, /again and /fork', async () => {
    const { cwd, run } = createHello(says('One.'), says('Two.'), says('Three.'), says('Four.'));
    const { code, output } = await run([], { input: '/rewind\na\nb\n/rewind\n/again\n/fork\nc\n' });
    expect(code).toBe(0);
    expect(output).toContain('There is no message to remove.');
    expect(output).toMatch(/One\.[^]*Two\.[^]*are removed\.[^]*Three\.[^]*continues in the copy [^]*Four\./);
    const { sessions, total } = await sessionsIn(cwd).listSessions(ref);
    expect([total, sessions.filter(({ forkedFrom }) => forkedFrom).length]).toEqual([2, 1]);
  });

  it('prints a sentence for /rewind, /again, /fork and /later if they have no effect', async () => {
    const { model, run } = createHello(says('Never.'));
    const { code, output } = await run([], { input: '/rewind\n/again\n/fork\n/later\n' });
    expect({ code, output }).toEqual({
      code: 0,
      output:
        'There is no message to remove.\nThere is no message to answer again.\nThere is no session to copy.\nThere is no question to answer later.\n',
    });
    expect(model.requests).toEqual([]);
  });

  it('exits with 1 if an answer failed, after the other lines', async () => {
    const { run } = createHello(fails('MODEL_AUTH'), says('Again.'));
    const { code, output } = await run([], { input: 'a\nb\n' });
    expect(code).toBe(1);
    expect(output).toMatch(/^! MODEL_AUTH: [^\n]+\nhello: Again\.\n$/);
  });

  it('shows the causes of an error, and with --verbose its stack', async () => {
    const failing = fails(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 10.0.0.7:443') }));
    const brief = await createHello(failing).run(['Hello']);
    expect(brief.code).toBe(1);
    expect(brief.output).toMatch(/^! MODEL_FAILED: [^\n]+TypeError: fetch failed[^\n]+ECONNREFUSED 10\.0\.0\.7:443\n$/);
    const { output } = await createHello(failing).run(['--verbose', 'Hello']);
    expect(output).toContain('TypeError: fetch failed\n');
    expect(output).toMatch(/\n +at .*run-agent\.test\.ts:\d+/);
  });

  it('exits with 0 for an empty input, and stores no session', async () => {
    const { cwd, run } = createHello();
    const { code, output } = await run([], { input: '' });
    expect({ code, output }).toEqual({ code: 0, output: '' });
    expect((await sessionsIn(cwd).listSessions(ref)).total).toBe(0);
  });

  it('writes each word before the next one arrives', async () => {
    const paused = createPausedHello();
    const outcome = paused.run(['Hi']);
    await paused.until('hello: Good ');
    paused.proceed();
    expect((await outcome).output).toBe('hello: Good day.\n');
  });

  it('shows complete answers with --no-stream, and does not stream from the model', async () => {
    const paused = createPausedHello();
    const outcome = paused.run(['Hi', '--no-stream']);
    await paused.until('not streaming');
    paused.proceed();
    expect((await outcome).output).toBe('hello: Good day.\n');
  });
});

/** Creates an agent `hello` that yields half of its answer, and the rest after `proceed`. */
function createPausedHello() {
  const cwd = temporaryFolder({ 'hello/agent.ts': '' });
  const [rest, half] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const state = { output: '', mode: '' };
  const complete = { content: { role: 'model' as const, parts: [{ text: 'Good day.' }] } };
  const model: Llm = {
    model: 'halves',
    specVersion: 1,
    async *generateContentAsync(_request, { stream }) {
      state.mode = stream ? 'streaming' : 'not streaming';
      half.resolve();
      if (stream) yield { content: { role: 'model', parts: [{ text: 'Good ' }] }, partial: true };
      await rest.promise;
      if (stream) yield { content: { role: 'model', parts: [{ text: 'day.' }] }, partial: true };
      yield complete;
    },
  };
  const modules = { 'hello/agent.ts': { rootAgent: new LlmAgent({ name: 'hello', model }) } };
  return {
    run: (args: readonly string[]): Promise<Outcome> =>
      thole(['run', 'hello', ...args], { cwd, modules, onOutput: (output) => (state.output = output) }),
    /** Resolves when the text was written, or is the mode of the model call. */
    async until(text: string): Promise<void> {
      await half.promise;
      await expect.poll(() => [state.output, state.mode]).toContain(text);
      if (state.mode === 'not streaming') expect(state.output).toBe('');
    },
    proceed: () => rest.resolve(),
  };
}

describe('thole run with an interrupt', () => {
  it('stops the current answer and continues; without an answer it quits', async () => {
    let stop = (): void => {};
    const { model, run } = createHello((request, options) => {
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
        // The help is written when no answer is active.
        if (output.includes('/quit')) stop();
      },
    });
    const { code, output } = await ended;
    expect(code).toBe(0);
    expect(output).toContain('(stopped)\nhello: Here I am.\n');
    expect(model.requests).toHaveLength(2);
  });

  it('exits with 130 for a single message', async () => {
    let stop = (): void => {};
    const { run } = createHello((request, options) => {
      stop();
      return (hangs() as Answer)(request, options);
    });
    const outcome = run(['Hi'], { onStart: (interrupt) => (stop = interrupt) });
    expect(await outcome).toEqual({ code: 130, output: '(stopped)\n', errors: '' });
  });
});

describe('thole run with sessions', () => {
  it('continues the session of --session_id, which the first command created', async () => {
    const { cwd, model, run } = createHello(says('One.'), says('Two.'));
    await run(['first', '--session_id', 'monday', '--user_id', 'ada']);
    await run(['second', '--session-id=monday', '--user-id', 'ada']);
    expect(JSON.stringify(model.requests[1]!.contents)).toContain('first');
    expect((await sessionsIn(cwd).listSessions({ ...ref, userId: 'ada' })).total).toBe(1);
  });

  it('prints --resume with an id that can be copied into a shell', async () => {
    const { run } = createHello(says('One.'));
    const { errors } = await run(['--session_id', "Ada's week"], { input: 'first\n' });
    expect(errors).toContain(`To continue this session: --resume 'Ada'\\''s week'\n`);
  });

  it('shows and continues a stored session with --resume', async () => {
    const { run } = createHello(says('One.'), calls('weather', { city: 'Rome' }), says('Grey.'), says('Three.'));
    const { errors } = await run([], { input: 'first\nsecond\n' });
    const [, id] = /--resume (\S+)/.exec(errors)!;
    const { output, code } = await run(['--resume', id!], { input: 'third\n' });
    expect(code).toBe(0);
    expect(output).toBe(
      'user: first\nhello: One.\nuser: second\n  [weather(city: "Rome") → sky: "grey"]\nhello: Grey.\nhello: Three.\n',
    );
  });

  it('does not show removed messages with --resume', async () => {
    const { run } = createHello(says('One.'), says('Two.'), says('Three.'));
    const { errors } = await run([], { input: 'first\nsecond\n/rewind\n' });
    const [, id] = /--resume (\S+)/.exec(errors)!;
    const { output } = await run(['--resume', id!], { input: 'third\n' });
    expect(output).toBe('user: first\nhello: One.\nhello: Three.\n');
  });

  it('rejects an unknown session with --resume', async () => {
    const { run } = createHello();
    const { code, errors } = await run(['--resume', 'nobody']);
    expect(code).toBe(1);
    expect(errors).toBe(
      'error: Session "nobody" of user "user" does not exist in app "hello", and there is no file with this name.\n',
    );
  });

  it.each([
    ['what*', /^what%2A\.session\.json$/],
    ['予約'.repeat(40), /^[%\dA-F]{180}-[\da-f]{16}\.session\.json$/],
  ])('saves a session with --save_session in a file that all systems accept: %s', async (sessionId, name) => {
    const { cwd, run } = createHello(says('Hi.'));
    expect(await run(['Hello', '--session_id', sessionId, '--save_session'])).toMatchObject({ code: 0 });
    expect(readdirSync(join(cwd, 'hello')).filter((file) => name.test(file))).toHaveLength(1);
  });

  it('saves a session with --save_session, and continues it elsewhere with --resume', async () => {
    const { cwd, run } = createHello(calls('weather', { city: 'Rome' }), says('Grey.'));
    const { code, errors } = await run(['How is it?', '--session_id', 'a/b', '--save_session']);
    expect({ code, errors }).toEqual({ code: 0, errors: 'Saved the session as hello/a%2Fb.session.json.\n' });
    const text = readFileSync(join(cwd, 'hello/a%2Fb.session.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      id: 'a/b',
      appName: 'hello',
      userId: 'user',
      events: [{ author: 'user' }, {}, {}, {}],
    });

    const other = createHello(says('Still grey.'));
    writeFiles(other.cwd, { 'saved.json': text });
    const resumed = await other.run(['--resume', 'saved.json'], { input: 'And now?\n' });
    expect(resumed.output).toBe(
      'user: How is it?\n  [weather(city: "Rome") → sky: "grey"]\nhello: Grey.\nhello: Still grey.\n',
    );
    expect(JSON.stringify(other.model.requests[0]!.contents)).toContain('How is it?');
  });

  it('restores state with --resume, and keeps existing user and app state', async () => {
    const { cwd, run } = createHello(says('Hi.'));
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

  it('sends the queries of --replay with its state', async () => {
    const cwd = temporaryFolder({
      'hello/agent.ts': '',
      // A byte order mark, as some editors write it.
      'q.json': '\uFEFF{"state": {"city": "Paris"}, "queries": ["a", "b"]}',
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
    ['[]', 'q.json must contain a JSON object.'],
    ['{', 'q.json must be JSON.'],
  ])('rejects --replay of %s, and opens no services', async (text, sentence) => {
    const { cwd, run } = createHello();
    writeFiles(cwd, { 'q.json': text });
    expect(await run(['--replay', 'q.json'])).toEqual({ code: 2, output: '', errors: `error: ${sentence}\n` });
    expect(existsSync(join(cwd, '.thole'))).toBe(false);
  });

  it.each([
    [['--user_id', ''], '--user_id must not be empty.'],
    [['--replay', 'gone.json'], 'gone.json cannot be read.'],
    [['--resume', 'gone.json'], 'There is no file gone.json.'],
    [['--resume', 'x', '--session_id', 'y'], '--resume names a session: do not combine it with --session_id.'],
    [['hi', '--replay', 'x'], '--replay has its own session and messages: do not combine it with a message.'],
    [['--resume', 'x', '--replay', 'x'], '--replay has its own session and messages: do not combine it with --resume.'],
  ])('rejects %j', async (args, sentence) => {
    expect(await createHello().run(args)).toEqual({ code: 2, output: '', errors: `error: ${sentence}\n` });
  });
});

describe('thole run with services', () => {
  it('uses the services of the options', async () => {
    const { cwd, run } = createHello(says('Hi.'));
    expect((await run(['Hi', '--session_service_uri', 'sqlite:///mine.db'])).code).toBe(0);
    expect(readdirSync(cwd).sort()).toContain('mine.db');
    expect(existsSync(join(cwd, '.thole', 'sessions.db'))).toBe(false);
  });

  it('finds facts that an earlier command stored in memory', async () => {
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

  it('opens no services for an exported runner', async () => {
    const cwd = temporaryFolder({ 'agent.ts': '' });
    const agent = new LlmAgent({ name: 'a', model: new ScriptedLlm(says('Hi.')) });
    const runner = new Runner({ appName: 'own', agent, sessionService: new InMemorySessionService() });
    const outcome = await thole(['run', '.', 'Hi'], { cwd, modules: { 'agent.ts': { runner } } });
    expect(outcome).toEqual({ code: 0, output: 'a: Hi.\n', errors: '' });
    expect(existsSync(join(cwd, '.thole'))).toBe(false);
  });
});

describe('thole run with errors', () => {
  it.each([
    ['gpt-5.5', 'OPENAI_API_KEY'],
    ['openai/any', 'OPENAI_API_KEY'],
    ['gemini-2.5-flash', 'GEMINI_API_KEY'],
    ['gemini/any', 'GEMINI_API_KEY'],
    ['claude-opus-5', 'ANTHROPIC_API_KEY'],
    ['anthropic/any', 'ANTHROPIC_API_KEY'],
  ])('prints one line for %s without %s', async (model, key) => {
    const cwd = temporaryFolder({ 'agent.ts': '' });
    const modules = { 'agent.ts': { rootAgent: new LlmAgent({ name: 'a', model }) } };
    const { code, output } = await thole(['run', '.', 'Hi'], { cwd, modules, env: {} });
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^! INVALID_INPUT: [^\\n]*${key}[^\\n]*\\n$`));
  });

  it('prints the error of an unknown model once', async () => {
    const cwd = temporaryFolder({ 'agent.ts': '' });
    const modules = { 'agent.ts': { rootAgent: new LlmAgent({ name: 'a', model: 'mistral-9' }) } };
    const { errors } = await thole(['run', 'agent.ts', 'hi'], { cwd, modules });
    expect(errors).toMatch(/^error: agent\.ts: Agent a: no model factory accepts "mistral-9"; .*\n$/);
    expect(errors.match(/mistral-9/g)).toHaveLength(1);
  });

  it('prints one line for an invalid file, and exits with 1', async () => {
    const cwd = temporaryFolder({ 'agent.ts': 'enum A { B }' });
    const { code, output, errors } = await thole(['run', 'agent.ts'], { cwd });
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(/^error: agent\.ts:1: TypeScript enum is not supported[^\n]*\n$/);
  });
});
