import type { JsonObject } from '@thole/core';
import { createEvent } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import type { LlmAgentOptions } from '@thole/runner';
import { DatabaseSessionService } from '@thole/sql-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { FunctionTool, LongRunningFunctionTool } from '@thole/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';
import type { Outcome, TholeOptions } from '../support/thole.ts';

interface Desk {
  cwd: string;
  booked: JsonObject[];
  model: ScriptedLlm;
  run(args: readonly string[], options?: TholeOptions): Promise<Outcome>;
}

/** Creates an agent `desk` whose tools wait for a person. */
function createDesk(...answers: ScriptedAnswer[]): Desk {
  return createDeskWith({}, ...answers);
}

function createDeskWith(more: Partial<LlmAgentOptions>, ...answers: ScriptedAnswer[]): Desk {
  const booked: JsonObject[] = [];
  const confirmed = (name: string, allowEditedArguments: boolean): FunctionTool =>
    new FunctionTool({
      ...{ name, description: 'Books a room.', requireConfirmation: true, allowEditedArguments },
      parameters: { type: 'object', properties: { room: { type: 'integer' } } },
      execute: (args: JsonObject) => (booked.push(args), { ok: true }),
    });
  const ask = new FunctionTool({
    name: 'ask',
    description: 'Asks the guest.',
    execute: async (_: unknown, context) => ({
      nights: await context.requestInput({ message: 'How many nights?', responseSchema: { type: 'integer' } }),
    }),
  });
  const wait = new LongRunningFunctionTool({ name: 'wait', description: 'Waits.', execute: () => ({ asked: true }) });
  const cwd = temporaryFolder({ 'desk/agent.ts': '' });
  const model = new ScriptedLlm(...answers);
  const tools = [confirmed('book', true), confirmed('pay', false), ask, wait];
  const modules = { 'desk/agent.ts': { rootAgent: new LlmAgent({ name: 'desk', model, tools, ...more }) } };
  return { cwd, booked, model, run: (args, p = {}) => thole(['run', 'desk', ...args], { cwd, modules, ...p }) };
}

const inTerminal = (...lines: string[]): TholeOptions => ({
  tty: true,
  env: { TERM: 'dumb' },
  input: `${lines.join('\n')}\n`,
});

describe('thole run in a terminal', () => {
  it.each([
    ['yes', [{ room: 7 }]],
    ['n', []],
  ])('asks for a confirmation, and %s continues', async (answer, expected) => {
    const { run, booked } = createDesk(calls('book', { room: 7 }, 'c1'), says('Done.'));
    const { code, output } = await run([], inTerminal('Book', answer, '/quit'));
    expect(code).toBe(0);
    expect(output).toMatch(/\? book\(room: 7\)\n.*\n {2}yes, no, edit .*\n[^]*desk: Done\.\n/);
    expect(output).not.toContain('adk_request_confirmation');
    expect(booked).toEqual(expected);
  });

  it('shows the arguments that a callback has changed', async () => {
    const beforeToolCallback = ({ args }: { args: JsonObject }): undefined => void (args['room'] = 8);
    const { run, booked } = createDeskWith({ beforeToolCallback }, calls('book', { room: 7 }, 'c1'), says('Done.'));
    const { output } = await run(['Book'], inTerminal('yes'));
    expect(output).toContain('? book(room: 8)\n');
    expect(booked).toEqual([{ room: 8 }]);
  });

  it('shows all arguments of a call to approve, also after a long one', async () => {
    const args = { room: 7, note: `a\u202eb${' '.repeat(300)}`, guest: 'Mallory' };
    const { run } = createDesk(calls('book', args, 'c1'), says('Done.'));
    const { output } = await run(['Book'], inTerminal('no'));
    expect(output).toMatch(/\? book \{"room":7,"note":"a\\u202eb {300}","guest":"Mallory"\}\n/);
  });

  it('asks after a single message too, and ends after the answer', async () => {
    const { run, booked } = createDesk(calls('book', { room: 7 }), says('Done.'));
    const { output } = await run(['Book'], inTerminal('yes', 'never read'));
    expect(output).toContain('desk: Done.');
    expect(booked).toEqual([{ room: 7 }]);
  });

  it('runs the tool with edited arguments', async () => {
    const { run, booked } = createDesk(calls('book', { room: 7 }), says('Done.'));
    const { output } = await run(['Book'], inTerminal('edit', 'not JSON', '{"room": 9}'));
    expect(output).toContain('now: {"room":7}');
    expect(output).toContain('The arguments must be a JSON object.');
    expect(booked).toEqual([{ room: 9 }]);
  });

  it.each([
    ['book', '  yes, no, edit (change the arguments), or /later'],
    ['pay', '  yes, no, or /later'],
  ])('offers edit only for a tool that allows edited arguments: %s', async (tool, help) => {
    const { run } = createDesk(calls(tool, { room: 7 }), says('Done.'));
    const { output } = await run(['Go on'], inTerminal('yes'));
    expect(output).toContain(`? ${tool}(room: 7)\n  Approve or reject the call of ${tool}.\n${help}\n`);
  });

  it('asks again if a tool does not allow edited arguments', async () => {
    const { run, booked } = createDesk(calls('pay', { room: 7 }), says('Done.'));
    const { output } = await run(['Pay'], inTerminal('e', '{"room": 9}', 'perhaps', 'y'));
    expect(output).toContain('! ARGUMENTS_NOT_EDITABLE');
    expect(output).toContain('The answer must be yes or no');
    expect(booked).toEqual([{ room: 7 }]);
  });

  it('asks for input, and again for a value that does not fit the schema', async () => {
    const { run } = createDesk(calls('ask', {}, 'c1'), says('Two nights.'));
    const { output } = await run(['Stay'], inTerminal('two', '2'));
    expect(output).toContain('? How many nights?\n  schema: {"type":"integer"}');
    expect(output).toContain('! ANSWER_INVALID');
    expect(output.match(/\? How many nights\?/g)).toHaveLength(2);
    expect(output).toContain('desk: Two nights.');
  });

  it('keeps a question for later, and asks it again with --resume', async () => {
    const { run, booked } = createDesk(calls('book', { room: 7 }), says('Done.'));
    const first = await run([], inTerminal('Book', '/later', '/quit'));
    const [, id] = /--resume (\S+)\n/.exec(first.errors)!;
    expect(first.output.match(/\? book\(room: 7\)/g)).toHaveLength(1);
    expect(booked).toEqual([]);
    const { output } = await run(['--resume', id!], inTerminal('yes', '/quit'));
    expect(output).toContain('desk: Done.');
    expect(booked).toEqual([{ room: 7 }]);
  });
});

describe('thole run without a terminal', () => {
  it('prints the call that waits, and accepts its answer with --answer', async () => {
    const { run, booked } = createDesk(calls('book', { room: 7 }), says('Done.'));
    const { code, output, errors } = await run(['Book', '--session_id', 's'], { input: 'yes\n' });
    const [, id] = /^ {2}\[book\(room: 7\) waits for a confirmation; its id is (\S+)\]\n$/.exec(output)!;
    expect(code).toBe(0);
    expect(errors).toBe(`The agent waits for an answer. To answer: thole run desk --resume s --answer ${id}=yes\n`);
    expect(booked).toEqual([]);
    const second = await run(['--resume', 's', '--answer', `${id}=yes`]);
    expect(second).toEqual({ code: 0, output: '  [book() → ok: true]\ndesk: Done.\n', errors: '' });
    const third = await run(['--resume', 's', '--answer', `${id}=yes`]);
    expect([third.code, third.output]).toEqual([1, expect.stringMatching(/^! INTERRUPT_ANSWERED/)]);
  });

  it('prints the arguments that a callback has changed', async () => {
    const beforeToolCallback = ({ args }: { args: JsonObject }): undefined => void (args['room'] = 8);
    const { run } = createDeskWith({ beforeToolCallback }, calls('book', { room: 7 }, 'c1'));
    expect((await run(['Book'])).output).toContain('[book(room: 8) waits for a confirmation;');
  });

  it('prints a command with the user and the services of the session', async () => {
    const { run } = createDesk(calls('book', { room: 7 }), says('Done.'));
    const user = ['--user_id', 'Ada Lovelace', '--session_service_uri', 'sqlite:///./own.db'];
    const { errors } = await run(['Book', '--session_id', 's', ...user]);
    const [, id] = /--answer (\S+)=yes\n$/.exec(errors)!;
    expect(errors).toContain(
      ` thole run desk --resume s --user_id 'Ada Lovelace' --session_service_uri sqlite:///./own.db --answer `,
    );
    expect((await run(['--resume', 's', '--answer', `${id}=yes`, ...user])).code).toBe(0);
  });

  it('prints no command for a session in memory, which has ended', async () => {
    const { run } = createDesk(calls('book', { room: 7 }));
    expect((await run(['Book', '--session_service_uri', 'memory://'])).errors).toBe('');
  });

  it('accepts the result of a long-running call as JSON', async () => {
    const { run, model } = createDesk(calls('wait', {}, 'c1'), says('Done.'));
    const { errors } = await run(['Wait', '--session_id', 's']);
    expect(errors).toContain("--answer c1='…'");
    await run(['--session_id', 's', '--answer', 'c1={"signed":true}']);
    expect(JSON.stringify(model.requests[1]!.contents)).toContain('"signed":true');
  });

  it('does not use a line of a pipe as an answer', async () => {
    const { run, booked } = createDesk(calls('book', { room: 7 }), says('What?'));
    await run([], { input: 'Book\nyes\n' });
    expect(booked).toEqual([]);
  });

  it('does not use a line of a pipe after /rewind as an answer', async () => {
    const { run, booked, model } = createDesk(calls('book', { room: 7 }), says('Hm.'), says('What?'));
    const { output } = await run([], { input: 'Book\nHello\n/rewind\nyes\n' });
    expect([booked, model.requests.length]).toEqual([[], 3]);
    expect(output).not.toContain('yes, no');
  });

  it.each([
    [['--answer', 'a=yes'], '--answer needs the session: add --resume <id>.'],
    [
      ['hi', '--session_id', 's', '--answer', 'a=yes'],
      '--answer answers the questions of a session: do not combine it with a message or --replay.',
    ],
    [['--session_id', 's', '--answer', 'a=yes', '--answer', 'a=no'], '--answer has two answers for "a". Pass one.'],
    [['--session_id', 's', '--answer', 'yes'], '--answer must be <id>=<value>, for example --answer adk-1=yes.'],
  ])('rejects %j', async (args, sentence) => {
    expect(await createDesk().run(args)).toEqual({ code: 2, output: '', errors: `error: ${sentence}\n` });
  });
});

describe('thole run with a timer', () => {
  function sleeper(ms: number): Desk['run'] {
    const cwd = temporaryFolder({ 'a/agent.ts': '' });
    const rootAgent = {
      name: 'a',
      async *runAsync(context: Parameters<NonNullable<LlmAgent['runAsync']>>[0]) {
        await context.sleep(ms);
        const content = { role: 'model' as const, parts: [{ text: 'Awake.' }] };
        yield createEvent({ author: 'a', invocationId: context.invocationId, content }, context.runtime);
      },
    };
    return (args, p = {}) => thole(['run', 'a', ...args], { cwd, modules: { 'a/agent.ts': { rootAgent } }, ...p });
  }

  it('waits for a timer that is due soon', async () => {
    const { code, output } = await sleeper(300)(['Sleep']);
    expect(code).toBe(0);
    expect(output).toMatch(/a: Awake\.\n$/);
  });

  it('prints the time of a later timer, and does not wait', async () => {
    const { code, output, errors } = await sleeper(86_400_000)(['Sleep', '--session_id', 's']);
    expect([code, output]).toEqual([0, expect.stringMatching(/^ {2}\[waits until \d{4}-\S+\]\n$/)]);
    expect(errors).toMatch(/^The agent waits until \S+\. A server or thole run a --resume s then continues it\.\n$/);
  });

  it('continues a timer that became due while no process ran', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': '' });
    const sessions = new DatabaseSessionService(`sqlite:///${cwd}/s.db`);
    onTestFinished(() => sessions.close());
    const session = { appName: 'a', userId: 'user', sessionId: 's' };
    await sessions.createSession(session);
    const message = { author: 'user', invocationId: 'i1', content: { role: 'user' as const, parts: [{ text: 'x' }] } };
    await sessions.appendEvent({ session, event: createEvent(message) });
    const timer = { id: 't1', name: 'thole_timer', args: { wakeAt: 1_000 } };
    const request = {
      ...{ author: 'a', invocationId: 'i1', longRunningToolIds: ['t1'] },
      content: { role: 'model' as const, parts: [{ functionCall: timer }] },
    };
    await sessions.appendEvent({ session, event: createEvent(request), marks: { openInterrupts: 1, wakeAt: 1_000 } });
    const model = new ScriptedLlm(says('Awake.'));
    const modules = { 'a/agent.ts': { rootAgent: new LlmAgent({ name: 'a', model }) } };
    const args = ['run', 'a', '--session_service_uri', `sqlite:///${cwd}/s.db`, '--resume', 's'];
    const { output } = await thole(args, { cwd, modules });
    expect(output).toContain('a: Awake.');
  });
});
