import { createEvent, pendingInterrupts, textOf, TholeError } from '@thole/core';
import type { Agent, Event } from '@thole/core';
import { memoryParts } from '@thole/memory';
import { Runner } from '@thole/runner';
import { FixedRuntime, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { defaultTexts } from '../../src/index.ts';
import type { ConversationParts } from '../../src/index.ts';
import { appName, newStorage, startAssistant } from '../support/assistant.ts';
import type { Storage } from '../support/assistant.ts';

const HOUR_MS = 3_600_000;

/** An agent that answers an hour after each message. */
const sleeper: Agent = {
  name: 'sleeper',
  async *runAsync(context) {
    await context.sleep(HOUR_MS);
    const { invocationId, runtime } = context;
    const content = { role: 'model' as const, parts: [{ text: 'Awake.' }] };
    yield createEvent({ author: 'sleeper', invocationId, content }, runtime);
  },
};

/** An agent that answers an hour after each message, and then fails. */
const failing: Agent = {
  ...sleeper,
  async *runAsync(context) {
    yield* sleeper.runAsync(context);
    throw new Error('The alarm is broken.');
  },
};

function startSleeper(storage: Storage, runtime: FixedRuntime, agent: Agent = sleeper) {
  const createParts = (): ConversationParts => {
    const { sessions } = storage;
    const { consolidator, plugins } = memoryParts({ sessions, memory: storage.memory, runtime });
    const options = { appName, agent, plugins, sessionService: sessions, runtime, autoCreateSession: true };
    return { runner: new Runner({ ...options, concurrency: { policy: 'join' } }), consolidator };
  };
  return startAssistant({ llm: new ScriptedLlm(), runtime, storage, options: { createParts } });
}

/** Returns the storage of a dispatcher that was closed while its agent slept. */
async function stopAsleep(runtime: FixedRuntime): Promise<Storage> {
  const storage = newStorage(runtime);
  const { chat, dispatcher, settle } = await startSleeper(storage, runtime);
  await chat.receive('a1', 'wake me');
  await settle();
  await dispatcher.close();
  return storage;
}

describe('Conversation with a timer', () => {
  it('sends the answer once when the timer is due', async () => {
    const runtime = new FixedRuntime();
    const { chat, settle } = await startSleeper(newStorage(runtime), runtime);
    await chat.receive('a1', 'wake me');
    await settle();
    expect(chat.texts).toEqual([]);
    await runtime.advance(HOUR_MS);
    await settle();
    expect(chat.texts).toEqual(['Awake.']);
  });

  it.each([true, false])(
    'sends the answer on time after a reload, during the run: %s (contract 45)',
    async (isRunning) => {
      const runtime = new FixedRuntime();
      const begun = Promise.withResolvers<void>();
      const slow: Agent = {
        ...sleeper,
        async *runAsync(context) {
          if (isRunning) await begun.promise;
          yield* sleeper.runAsync(context);
        },
      };
      const { chat, dispatcher, settle } = await startSleeper(newStorage(runtime), runtime, slow);
      await chat.receive('a1', 'wake me');
      if (isRunning) await runtime.advance(2_000);
      else await settle();
      dispatcher.reload();
      await chat.receive('a1', 'me, too');
      await runtime.advance(2_000);
      begun.resolve();
      await settle();
      await runtime.advance(HOUR_MS);
      await settle();
      expect(chat.texts).toEqual(isRunning ? ['Awake.'] : ['Awake.', 'Awake.']);
    },
  );

  it('sends the answer after a restart (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = await stopAsleep(runtime);
    const second = await startSleeper(storage, runtime);
    await second.settle();
    await runtime.advance(HOUR_MS);
    await second.settle();
    expect(second.chat.texts).toEqual(['Awake.']);
  });

  it('sends texts.failed once if the run fails when the timer is due, also after restarts (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const first = await startSleeper(storage, runtime, failing);
    await first.chat.receive('a1', 'wake me', { id: 'm1', address: 'g1', group: { id: 'g1', isAddressed: true } });
    await first.settle();
    await runtime.advance(HOUR_MS);
    await first.settle();
    expect(first.chat.accepted.map(({ text, to }) => [text, to])).toEqual([
      ['Awake.', 'g1'],
      [defaultTexts.failed, 'g1'],
    ]);
    await first.dispatcher.close();
    const second = await startSleeper(storage, runtime, failing);
    await second.settle();
    expect(second.chat.texts).toEqual([]);
  });

  it('sends texts.failed once for a run that fails after a restart (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = await stopAsleep(runtime);
    const second = await startSleeper(storage, runtime, failing);
    await second.settle();
    await runtime.advance(HOUR_MS);
    await second.settle();
    expect(second.chat.texts).toEqual(['Awake.', defaultTexts.failed]);
    expect(second.failures).toMatchObject([{ step: 'run', error: { code: 'AGENT_FAILED' } }]);
  });

  it('sends texts.failed once if the changed agent cannot continue the run', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const noting = (author: string): Agent => ({
      ...sleeper,
      async *runAsync(context) {
        const { invocationId } = context;
        yield createEvent({ author, invocationId, actions: { stateDelta: { night: true } } }, context.runtime);
        yield* sleeper.runAsync(context);
      },
    });
    const first = await startSleeper(storage, runtime, noting('old'));
    await first.chat.receive('a1', 'wake me');
    await first.settle();
    await first.dispatcher.close();
    await runtime.advance(HOUR_MS);
    const changed = noting('new');
    const second = await startSleeper(storage, runtime, changed);
    await second.settle();
    await second.dispatcher.close();
    const third = await startSleeper(storage, runtime, changed);
    await third.settle();
    expect([second.chat.texts, third.chat.texts]).toEqual([[defaultTexts.failed], []]);
    expect(second.failures).toMatchObject([{ step: 'run', error: { code: 'RESUME_DIVERGED' } }]);
  });

  const refusal: Partial<Event> = { errorCode: 'SAFETY', finishReason: 'SAFETY' };
  const answer: Partial<Event> = { content: { role: 'model', parts: [{ text: 'Awake.' }] } };
  it.each([
    ['sends texts.failed if the model refuses to answer when the timer is due', [refusal], defaultTexts.failed],
    ['sends only the answer if a run reports an error before it', [refusal, answer], 'Awake.'],
  ])('%s', async (_, events, text) => {
    const runtime = new FixedRuntime();
    const agent: Agent = {
      ...sleeper,
      async *runAsync(context) {
        await context.sleep(HOUR_MS);
        for (const event of events)
          yield createEvent({ author: 'sleeper', invocationId: context.invocationId, ...event }, runtime);
      },
    };
    const { chat, settle } = await startSleeper(newStorage(runtime), runtime, agent);
    await chat.receive('a1', 'wake me');
    await settle();
    await runtime.advance(HOUR_MS);
    await settle();
    expect(chat.texts).toEqual([text]);
  });

  it('sends only the answer if the store is down at a first attempt to continue (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = await stopAsleep(runtime);
    await runtime.advance(HOUR_MS);
    const { sessions } = storage;
    const append = sessions.appendEvent.bind(sessions);
    sessions.appendEvent = () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'The database is down.'));
    const second = await startSleeper(storage, runtime);
    await second.settle();
    expect(second.failures).toMatchObject([{ step: 'run', error: { code: 'STORE_UNAVAILABLE' } }]);
    await second.dispatcher.close();
    sessions.appendEvent = append;
    const third = await startSleeper(storage, runtime);
    await third.settle();
    expect([second.chat.texts, third.chat.texts]).toEqual([[], ['Awake.']]);
  });

  it('sends texts.failed once for a message that fails while another run waits for its timer', async () => {
    const runtime = new FixedRuntime();
    const fragile: Agent = {
      ...sleeper,
      async *runAsync(context) {
        if (textOf(context.userContent) === 'fail') throw new Error('The alarm is broken.');
        yield* sleeper.runAsync(context);
      },
    };
    const { chat, settle } = await startSleeper(newStorage(runtime), runtime, fragile);
    await chat.receive('a1', 'wake me');
    await settle();
    await chat.receive('a1', 'fail', { id: 'm2' });
    await settle();
    await runtime.advance(HOUR_MS);
    await settle();
    expect(chat.requests.map(({ message }) => [message.text, message.replyTo])).toEqual([
      [defaultTexts.failed, 'm2'],
      ['Awake.', undefined],
    ]);
  });

  it('sends texts.failed for each of two runs that fail after a restart (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const first = await startSleeper(storage, runtime);
    await first.chat.receive('a1', 'wake me');
    await first.settle();
    await first.chat.receive('a1', 'me, too');
    await first.settle();
    await first.dispatcher.close();
    await runtime.advance(HOUR_MS);
    const refusing: Agent = {
      name: 'sleeper',
      async *runAsync(context) {
        const { invocationId } = context;
        await context.sleep(HOUR_MS);
        yield createEvent({ author: 'sleeper', invocationId, errorCode: 'SAFETY' }, context.runtime);
      },
    };
    const { chat, settle } = await startSleeper(storage, runtime, refusing);
    await settle();
    expect(chat.texts).toEqual([defaultTexts.failed, defaultTexts.failed]);
  });

  it('sends only the answers after the timer if the run has begun elsewhere (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const greeting: Agent = {
      ...sleeper,
      async *runAsync(context) {
        const { invocationId } = context;
        const content = { role: 'model' as const, parts: [{ text: 'Good night.' }] };
        yield createEvent({ author: 'sleeper', invocationId, content }, context.runtime);
        yield* sleeper.runAsync(context);
      },
    };
    const { sessions: sessionService } = storage;
    const server = new Runner({ appName, agent: greeting, sessionService, runtime, autoCreateSession: true });
    const { events } = await server.runToCompletion({ ...session, newMessage: 'wake me' });
    expect(events.map(({ content }) => textOf(content))).toContain('Good night.');
    await server.close();
    await runtime.advance(HOUR_MS);
    const { chat, settle } = await startSleeper(storage, runtime, greeting);
    await settle();
    expect(chat.texts).toEqual(['Awake.']);
  });

  it('sends nothing for a waiting run that is cancelled', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const { chat, settle } = await startSleeper(storage, runtime);
    await chat.receive('a1', 'wake me');
    await settle();
    const runner = new Runner({ appName, agent: sleeper, sessionService: storage.sessions, runtime });
    const { events } = (await storage.sessions.getSession(session))!;
    expect(await runner.cancel({ ...session, invocationId: events[0]!.invocationId })).toBe(true);
    await runtime.advance(HOUR_MS);
    await settle();
    expect(chat.texts).toEqual([]);
  });

  it('sends nothing for a run that is cancelled while it continues after a restart', async () => {
    const runtime = new FixedRuntime();
    const storage = await stopAsleep(runtime);
    await runtime.advance(HOUR_MS);
    const hanging: Agent = {
      ...sleeper,
      async *runAsync(context) {
        await context.sleep(HOUR_MS);
        await new Promise(() => {});
        yield* sleeper.runAsync(context);
      },
    };
    const { chat, failures, settle } = await startSleeper(storage, runtime, hanging);
    await runtime.advance(1_000);
    const runner = new Runner({ appName, agent: sleeper, sessionService: storage.sessions, runtime });
    expect(await runner.cancel(session)).toBe(true);
    await runtime.advance(10_000);
    await settle();
    expect(failures).toMatchObject([{ error: { code: 'RUN_ABORTED' } }]);
    expect(chat.texts).toEqual([]);
  });

  it('sends the answer within ten minutes after the computer slept beyond the time', async () => {
    const runtime = new FixedRuntime();
    const storage = await stopAsleep(runtime);
    const second = await startSleeper(storage, runtime);
    await second.settle();
    const now = runtime.now.bind(runtime);
    runtime.now = () => now() + 2 * 3_600;
    await runtime.advance(600_000);
    await second.settle();
    expect(second.chat.texts).toEqual(['Awake.']);
  });

  it('sends the answer at the start if the timer is already due (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = await stopAsleep(runtime);
    await runtime.advance(2 * HOUR_MS);
    const second = await startSleeper(storage, runtime);
    await second.settle();
    expect(second.chat.texts).toEqual(['Awake.']);
  });

  it('sends the answer if another process continues the run when the timer is due (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = await stopAsleep(runtime);
    await runtime.advance(HOUR_MS);
    const gate = Promise.withResolvers<void>();
    const slow: Agent = {
      ...sleeper,
      async *runAsync(context) {
        await gate.promise;
        yield* sleeper.runAsync(context);
      },
    };
    const server = new Runner({ appName, agent: slow, sessionService: storage.sessions, runtime });
    const recovering = Array.fromAsync(server.recover());
    await runtime.advance(100);
    const second = await startSleeper(storage, runtime);
    await runtime.advance(5_000);
    gate.resolve();
    await runtime.advance(5_000);
    expect(await recovering).toMatchObject([{ outcome: 'completed' }]);
    await second.settle();
    expect(second.chat.texts).toEqual(['Awake.']);
  });

  it('sends the question of a run that the timer continues (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const asking: Agent = {
      ...sleeper,
      async *runAsync(context) {
        await context.sleep(HOUR_MS);
        const answer = (await context.requestInput({ message: 'Are you awake?' })) as string;
        const { invocationId } = context;
        const content = { role: 'model' as const, parts: [{ text: `You said ${answer}.` }] };
        yield createEvent({ author: 'sleeper', invocationId, content }, context.runtime);
      },
    };
    const { chat, settle } = await startSleeper(newStorage(runtime), runtime, asking);
    await chat.receive('a1', 'wake me');
    await settle();
    await runtime.advance(HOUR_MS);
    await settle();
    expect(chat.texts).toEqual(['Are you awake?']);
    await chat.receive('a1', 'no');
    await settle();
    expect(chat.texts.slice(1)).toEqual(['You said no.']);
  });
});

/** An agent that asks a question and has two answers. */
const asking: Agent = {
  name: 'asking',
  async *runAsync(context) {
    const answer = (await context.requestInput({ message: 'Which colour?' })) as string;
    const { invocationId } = context;
    for (const text of [`You said ${answer}.`, 'Painted.']) {
      const content = { role: 'model' as const, parts: [{ text }] };
      yield createEvent({ author: 'asking', invocationId, content }, context.runtime);
    }
  },
};

const session = { appName, userId: 'ada', sessionId: 'ada:chat' };

describe('Conversation with a run of another runner', () => {
  it('sends all its answers after a question was answered elsewhere (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const { chat, settle } = await startSleeper(storage, runtime, asking);
    await chat.receive('a1', 'paint it');
    await settle();
    await runtime.advance(HOUR_MS);
    const server = new Runner({ appName, agent: asking, sessionService: storage.sessions, runtime });
    const ref = { userId: 'ada', sessionId: 'ada:chat' };
    const [open] = pendingInterrupts((await storage.sessions.getSession({ appName, ...ref }))!.events);
    await server.resume({ ...ref, invocationId: open!.invocationId, answers: { [open!.id]: 'red' } }).result;
    for (let i = 0; i < 4; i++) await runtime.advance(10_000);
    await settle();
    expect(chat.texts).toEqual(['Which colour?', 'You said red.', 'Painted.']);
  });

  it('sends the answers if a question was answered elsewhere while it was being stored (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const server = new Runner({ appName, agent: asking, sessionService: storage.sessions, runtime });
    const { deliveries } = storage;
    const put = deliveries.put.bind(deliveries);
    deliveries.put = async (delivery) => {
      const [open] = await server.pendingInterrupts(session);
      if (open) await server.resume({ ...session, answers: { [open.id]: 'red' } }).result;
      return put(delivery);
    };
    const { chat, settle } = await startSleeper(storage, runtime, asking);
    await chat.receive('a1', 'paint it');
    await settle();
    for (let i = 0; i < 4; i++) await runtime.advance(10_000);
    await settle();
    expect(chat.texts).toEqual(['Which colour?', 'You said red.', 'Painted.']);
  });

  it('sends the question of another process that asked while the dispatcher was off, once (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const twice: Agent = {
      ...asking,
      async *runAsync(context) {
        await context.requestInput({ message: 'Which wall?' });
        yield* asking.runAsync(context);
      },
    };
    const first = await startSleeper(storage, runtime, twice);
    await first.chat.receive('a1', 'paint it');
    await first.settle();
    await first.dispatcher.close();
    const server = new Runner({ appName, agent: twice, sessionService: storage.sessions, runtime });
    const [open] = pendingInterrupts((await storage.sessions.getSession(session))!.events);
    await server.resume({ ...session, answers: { [open!.id]: 'the left one' } }).result;
    const second = await startSleeper(storage, runtime, twice);
    await second.settle();
    expect([first.chat.texts, second.chat.texts]).toEqual([['Which wall?'], ['Which colour?']]);
    await second.chat.receive('a1', 'red', { id: 'm2' });
    await second.settle();
    expect(second.chat.texts.slice(1)).toEqual(['You said red.', 'Painted.']);
  });

  it('continues a run whose process has crashed before an answer joined it (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const { chat, settle } = await startSleeper(storage, runtime, asking);
    await chat.receive('a1', 'paint it');
    await settle();
    const [open] = pendingInterrupts((await storage.sessions.getSession(session))!.events);
    const { invocationId } = open!;
    const lease = { invocationId, holder: 'crashed', waitMs: 0, maxWaiting: 0, ttlMs: 20_000, cleanupMs: 1_000 };
    await storage.sessions.leasing!.lease(session, { ...lease, policy: 'reject' });
    await chat.receive('a1', 'red', { id: 'm2' });
    await runtime.advance(2_000);
    expect(chat.texts).toEqual(['Which colour?']);
    for (let i = 0; i < 3; i++) await runtime.advance(10_000);
    await settle();
    expect(chat.texts).toEqual(['Which colour?', 'You said red.', 'Painted.']);
    expect(chat.requests.at(-1)!.message.replyTo).toBe('m2');
  });
});
