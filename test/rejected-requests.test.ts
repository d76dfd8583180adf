import { createEvent } from '@thole/core';
import type { Agent, App, Json, Session, SessionService } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import type { RunnerOptions } from '@thole/runner';
import { DatabaseSessionService } from '@thole/sql-services';
import { calls, callsAll, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool, LongRunningFunctionTool } from '@thole/tools';
import { describe, expect, it, onTestFinished } from 'vitest';

const ref = { appName: 'app', userId: 'ann', sessionId: 's' };
const hello = { ...ref, newMessage: 'hello' };
const object = { type: 'object' } as const;

const stores: [string, (runtime: FixedRuntime) => SessionService & { close?(): Promise<void> }][] = [
  ['memory', (runtime) => new InMemorySessionService({ runtime })],
  ['SQLite', (runtime) => new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', runtime })],
];

interface Subject {
  runner: Runner;
  runtime: FixedRuntime;
  sessions: SessionService;
  /** Id of the open confirmation, input and long-running call. */
  ids: { pay: string; ask: string; order: string };
  /** The paused invocation. */
  paused: string;
  /** An invocation that has ended. */
  ended: string;
}

/** Creates a session with an ended invocation, and one that waits for a confirmation, an input and a long-running call. */
async function createSubject(open: (typeof stores)[number][1]): Promise<Subject> {
  const runtime = new FixedRuntime();
  const sessions = open(runtime);
  onTestFinished(async () => sessions.close?.());
  for (const [userId, sessionId] of [
    ['ann', 's'],
    ['ann', 'other'],
    ['bob', 's'],
  ] as const)
    await sessions.createSession({ ...ref, userId, sessionId });
  const tools = [
    new FunctionTool({
      name: 'pay',
      description: 'Pays.',
      parameters: { ...object, properties: { sum: { type: 'number' } } },
      execute: () => 'paid',
      requireConfirmation: true,
      confirmationTtlMs: 3_600_000,
      allowEditedArguments: true,
    }),
    new FunctionTool({
      name: 'ask',
      description: 'Asks.',
      execute: (_args, context) =>
        context.requestInput({ message: 'How many?', responseSchema: { type: 'number' }, ttlMs: 3_600_000 }),
    }),
    new LongRunningFunctionTool({ name: 'order', description: 'Orders.', execute: () => ({ ticket: 1 }) }),
  ];
  const turn = callsAll(['pay', { sum: 5 }, 'c1'], ['ask', {}, 'c2'], ['order', {}, 'c3']);
  const rootAgent: Agent = new LlmAgent({ name: 'root', model: new ScriptedLlm(says('Hello.'), turn), tools });
  const runner = runnerOf(
    { name: 'app', rootAgent, compaction: { interval: 100 } },
    { sessionService: sessions, runtime },
  );
  const { invocationId: ended } = await runner.runToCompletion(hello);
  const { interrupts, invocationId: paused } = await runner.runToCompletion(hello);
  const idOf = (name: string): string => interrupts.find(({ toolName }) => toolName === name)!.id;
  return {
    runner,
    runtime,
    sessions,
    ids: { pay: idOf('pay'), ask: idOf('ask'), order: idOf('order') },
    paused,
    ended,
  };
}

function runnerOf(app: App, options: Partial<RunnerOptions>): Runner {
  const runner = new Runner({ app, ...options } as RunnerOptions);
  onTestFinished(() => runner.close());
  return runner;
}

async function codeOf(work: AsyncIterable<unknown> | Promise<unknown>): Promise<string | undefined> {
  try {
    await (Symbol.asyncIterator in work ? Array.fromAsync(work) : work);
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
}

const storedIn = async ({ sessions }: Subject): Promise<(Session | undefined)[]> =>
  Promise.all(
    [ref, { ...ref, sessionId: 'other' }, { ...ref, userId: 'bob' }].map((each) => sessions.getSession(each)),
  );

/** Sends a wrong request twice, and checks its code and that nothing was stored. */
async function expectRejected(subject: Subject, send: () => AsyncIterable<unknown> | Promise<unknown>, code: string) {
  const before = await storedIn(subject);
  expect([await codeOf(send()), await codeOf(send())]).toEqual([code, code]);
  expect(await storedIn(subject)).toEqual(before);
}

type Case = [string, string, (subject: Subject) => AsyncIterable<unknown> | Promise<unknown>];

const answering =
  (answers: (ids: Subject['ids']) => { [id: string]: Json }, at: object = {}): Case[2] =>
  ({ ids, runner }) =>
    runner.resume({ ...ref, ...at, answers: answers(ids) });
const responding =
  (
    response: (ids: Subject['ids']) => { id: string; name: string; response: object; willContinue?: boolean },
  ): Case[2] =>
  ({ ids, runner }) =>
    runner.runAsync({ ...ref, newMessage: { role: 'user', parts: [{ functionResponse: response(ids) as never }] } });

const cases: Case[] = [
  ['an answer to an unknown interrupt', 'INTERRUPT_NOT_FOUND', answering(() => ({ nothing: true }))],
  [
    'an unknown answer next to a correct one',
    'INTERRUPT_NOT_FOUND',
    answering(({ pay }) => ({ [pay]: true, x: true })),
  ],
  [
    'an answer in another session',
    'INTERRUPT_NOT_FOUND',
    answering(({ pay }) => ({ [pay]: true }), { sessionId: 'other' }),
  ],
  ['an answer of another user', 'INTERRUPT_NOT_FOUND', answering(({ pay }) => ({ [pay]: true }), { userId: 'bob' })],
  ['an answer to the call of a waiting tool', 'INTERRUPT_NOT_FOUND', answering(() => ({ c1: { result: 'paid' } }))],
  [
    'an answer with another name',
    'INTERRUPT_MISMATCH',
    responding(({ pay }) => ({ id: pay, name: 'adk_request_input', response: { confirmed: true } })),
  ],
  ['a confirmation that is neither yes nor no', 'ANSWER_INVALID', answering(({ pay }) => ({ [pay]: 'yes' }))],
  [
    'edited arguments that do not fit',
    'ANSWER_INVALID',
    answering(({ pay }) => ({ [pay]: { confirmed: true, editedArguments: { sum: 'x' } } })),
  ],
  ['an input that does not fit its schema', 'ANSWER_INVALID', answering(({ ask }) => ({ [ask]: 'three' }))],
  [
    'a wrong answer after a correct one',
    'ANSWER_INVALID',
    answering(({ pay, ask }) => ({ [pay]: true, [ask]: 'three' })),
  ],
  [
    'an update that the tool does not accept',
    'ANSWER_INVALID',
    responding(({ order }) => ({ id: order, name: 'order', response: {}, willContinue: true })),
  ],
  [
    'a resume of an unknown invocation',
    'INVOCATION_NOT_FOUND',
    ({ runner }) => runner.resume({ ...ref, invocationId: 'x' }),
  ],
  [
    'a resume of an invocation that has ended',
    'INVOCATION_ENDED',
    ({ runner, ended }) => runner.resume({ ...ref, invocationId: ended }),
  ],
  [
    'an answer for another invocation',
    'INTERRUPT_NOT_FOUND',
    ({ runner, ended, ids }) => runner.resume({ ...ref, invocationId: ended, answers: { [ids.pay]: true } }),
  ],
  [
    'a resume in an unknown session',
    'SESSION_NOT_FOUND',
    ({ runner, paused }) => runner.resume({ ...ref, sessionId: 'none', invocationId: paused }),
  ],
  [
    'a rewind to an invocation that the session does not have',
    'INVOCATION_NOT_FOUND',
    ({ runner }) => runner.rewind({ ...ref, rewindBeforeInvocationId: 'before the beginning' }),
  ],
  [
    'a compaction of an unknown session',
    'SESSION_NOT_FOUND',
    ({ runner }) => runner.compact({ ...ref, sessionId: 'none' }),
  ],
  ['a compaction whose summary fails', 'COMPACTION_FAILED', ({ runner }) => runner.compact(ref)],
];

describe.each(stores)('A wrong request to a paused session on %s', (_, open) => {
  it.each(cases)('is rejected before anything is stored: %s is %s', async (_title, code, send) => {
    const subject = await createSubject(open);
    await expectRejected(subject, () => send(subject), code);
    expect(await subject.runner.pendingInterrupts(ref)).toHaveLength(3);
  });

  it('is rejected for an answer that has expired', async () => {
    const subject = await createSubject(open);
    const { ids, runner, runtime, sessions } = subject;
    // No runner is active, so the expiry does not continue the invocation.
    await runner.close();
    await runtime.advance(3_600_000);
    const after = runnerOf(
      { name: 'app', rootAgent: new LlmAgent({ name: 'root', model: new ScriptedLlm() }) },
      { sessionService: sessions, runtime },
    );
    for (const id of [ids.pay, ids.ask])
      await expectRejected(subject, () => after.resume({ ...ref, answers: { [id]: true } }), 'INTERRUPT_EXPIRED');
  });

  it('is rejected for a second answer, also while the invocation still waits', async () => {
    const subject = await createSubject(open);
    const { ids, runner } = subject;
    await runner.resume({ ...ref, answers: { [ids.pay]: false } }).done;
    await expectRejected(subject, () => runner.resume({ ...ref, answers: { [ids.pay]: true } }), 'INTERRUPT_ANSWERED');
  });

  it('is rejected for a cancelled invocation', async () => {
    const subject = await createSubject(open);
    const { ids, paused, runner } = subject;
    await runner.cancel({ ...ref, invocationId: paused });
    await expectRejected(subject, () => runner.resume({ ...ref, answers: { [ids.pay]: true } }), 'INVOCATION_ENDED');
    await expectRejected(subject, () => runner.resume({ ...ref, invocationId: paused }), 'INVOCATION_ENDED');
  });

  it('is rejected while another run holds the session (SESSION_BUSY)', async () => {
    const subject = await createSubject(open);
    const { paused, runtime, sessions } = subject;
    const at = {
      ...{ invocationId: paused, holder: 'other', waitMs: 0, maxWaiting: 0, ttlMs: 30_000, cleanupMs: 1_000 },
    };
    await sessions.leasing!.lease(ref, { ...at, policy: 'reject' });
    const rejecting = runnerOf(
      { name: 'app', rootAgent: new LlmAgent({ name: 'root', model: new ScriptedLlm() }) },
      { sessionService: sessions, runtime, concurrency: { policy: 'reject' } },
    );
    await expectRejected(subject, () => rejecting.resume({ ...ref, invocationId: paused }), 'SESSION_BUSY');
  });

  it('is rejected for a rewind that would keep a call and remove its answer', async () => {
    const subject = await createSubject(open);
    const { ids, runner, sessions } = subject;
    const invocationId = 'later';
    await sessions.appendEvent({ session: ref, event: createEvent({ author: 'user', invocationId }) });
    await runner.resume({ ...ref, answers: { [ids.pay]: false } }).done;
    await expectRejected(
      subject,
      () => runner.rewind({ ...ref, rewindBeforeInvocationId: invocationId }),
      'REWIND_SPLITS_CALL',
    );
  });
});

describe('App.compaction', () => {
  it.each([
    { interval: 0, overlap: 0 },
    { interval: 2, overlap: -1 },
    { tokenThreshold: 0, eventRetention: 1 },
    { tokenThreshold: 100 },
    { overlap: 1, tokenThreshold: 100, eventRetention: 1 },
    {},
  ])('throws INVALID_INPUT from the constructor for invalid settings: %j', (compaction) => {
    const rootAgent = new LlmAgent({ name: 'root', model: new ScriptedLlm(calls('x')) });
    const app = { name: 'app', rootAgent, compaction: compaction as never };
    expect(() => new Runner({ app, sessionService: new InMemorySessionService() })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }) as never,
    );
  });
});
