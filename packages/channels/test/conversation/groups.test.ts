import { createEvent, textOf } from '@thole/core';
import type { Agent } from '@thole/core';
import { Runner } from '@thole/runner';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { appName, newStorage, startAssistant } from '../support/assistant.ts';
import type { LocalChannel } from '../support/local-channel.ts';

const inGroup = { address: 'g1', group: { id: 'g1', isAddressed: true } };
const otherGroup = { address: 'g2', group: { id: 'g2', isAddressed: true } };
const sent = ({ accepted }: LocalChannel): unknown[] => accepted.map(({ text, to }) => [to, text]);

describe('Conversation of a person who also writes in a group', () => {
  it.each([
    ['a private chat', {}, 'a1'],
    ['the group', inGroup, 'g1'],
  ])('sends the answer after a timer only to %s, where the run paused', async (_, place, to) => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const agent: Agent = {
      name: 'helper',
      async *runAsync(context) {
        const { invocationId, userContent } = context;
        const text = textOf(userContent);
        if (text === 'later') await context.sleep(3_600_000);
        yield createEvent({ author: 'helper', invocationId, content: { role: 'model', parts: [{ text }] } }, runtime);
      },
    };
    const { sessions: sessionService } = storage;
    const runner = new Runner({ appName, agent, sessionService, runtime, autoCreateSession: true });
    const options = { createParts: () => ({ runner }) };
    const { chat, settle } = await startAssistant({ llm: new ScriptedLlm(), runtime, storage, options });
    await chat.receive('a1', 'later', place);
    await settle();
    const other = to === 'a1' ? inGroup : {};
    await chat.receive('a1', 'now', other);
    await settle();
    await runtime.advance(3_600_000);
    await settle();
    expect(sent(chat)).toEqual([
      [to === 'a1' ? 'g1' : 'a1', 'now'],
      [to, 'later'],
    ]);
  });

  it('does not take a yes in the group as the answer to a private question', async () => {
    const runtime = new FixedRuntime();
    const runs: string[] = [];
    const diary = new FunctionTool({
      ...{ name: 'diary', description: 'Reads the diary.', requireConfirmation: true },
      execute: () => runs.push('diary'),
    });
    const llm = new ScriptedLlm(calls('diary', {}), says('Fine.'), says('It is read.'));
    const { chat, settle } = await startAssistant({ llm, runtime, tools: [diary] });
    await chat.receive('a1', 'read my diary');
    await settle();
    await chat.receive('a1', 'yes', inGroup);
    await settle();
    expect([runs, sent(chat).at(-1)]).toEqual([[], ['g1', 'Fine.']]);
    await chat.receive('a1', 'yes');
    await settle();
    expect([runs, sent(chat).at(-1)]).toEqual([['diary'], ['a1', 'It is read.']]);
  });

  it.each([
    ['a private chat', {}, [inGroup, otherGroup]],
    ['a group', inGroup, [{}, otherGroup]],
  ])('takes the answer to a question in %s only from there after a restart', async (_, place, others) => {
    const runtime = new FixedRuntime();
    const runs: string[] = [];
    const diary = new FunctionTool({
      ...{ name: 'diary', description: 'Reads the diary.', requireConfirmation: true },
      execute: () => runs.push('diary'),
    });
    const llm = new ScriptedLlm(calls('diary', {}), says('Fine.'), says('Good.'), says('It is read.'));
    const first = await startAssistant({ llm, runtime, tools: [diary] });
    await first.chat.receive('a1', 'read my diary', place);
    await first.settle();
    await first.dispatcher.close();
    const { chat, settle } = await startAssistant({ llm, runtime, tools: [diary], storage: first.storage });
    await settle();
    for (const other of others) {
      await chat.receive('a1', 'yes', other);
      await settle();
    }
    const addressOf = ({ address = 'a1' }: { address?: string }): string => address;
    expect([runs, sent(chat)]).toEqual([
      [],
      [
        [addressOf(others[0]!), 'Fine.'],
        [addressOf(others[1]!), 'Good.'],
      ],
    ]);
    await chat.receive('a1', 'yes', place);
    await settle();
    expect([runs, sent(chat).at(-1)]).toEqual([['diary'], [addressOf(place), 'It is read.']]);
  });

  it.each([
    ['a private chat', {}, inGroup],
    ['a group', inGroup, {}],
  ])('takes the answer to an old question in %s only from there', async (_, place, other) => {
    const runtime = new FixedRuntime();
    const runs: string[] = [];
    const diary = new FunctionTool({
      ...{ name: 'diary', description: 'Reads the diary.', requireConfirmation: true },
      execute: () => runs.push('diary'),
    });
    const llm = new ScriptedLlm(calls('diary', {}), says('Fine.'), says('It is read.'));
    const { chat, settle, storage } = await startAssistant({ llm, runtime, tools: [diary] });
    await chat.receive('a1', 'read my diary', place);
    await settle();
    await storage.deliveries.prune(runtime.now() + 1);
    await chat.receive('a1', 'yes', other);
    await settle();
    expect(runs).toEqual([]);
    await chat.receive('a1', 'yes', place);
    await settle();
    expect(runs).toEqual(['diary']);
  });

  it('takes an answer only where its question was sent, also if the run began elsewhere', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const agent: Agent = {
      name: 'helper',
      async *runAsync(context) {
        const { invocationId, userContent } = context;
        let text = textOf(userContent);
        if (text === 'later') {
          await context.sleep(3_600_000);
          text = JSON.stringify(await context.requestInput({ message: 'How are you?' }));
        }
        yield createEvent({ author: 'helper', invocationId, content: { role: 'model', parts: [{ text }] } }, runtime);
      },
    };
    const { sessions: sessionService } = storage;
    const createParts = (): { runner: Runner } => ({
      runner: new Runner({ appName, agent, sessionService, runtime, autoCreateSession: true }),
    });
    const start = () => startAssistant({ llm: new ScriptedLlm(), runtime, storage, options: { createParts } });
    const first = await start();
    await first.chat.receive('a1', 'later', inGroup);
    await first.settle();
    await first.dispatcher.close();
    const second = await start();
    await runtime.advance(3_600_000);
    await second.settle();
    await second.dispatcher.close();
    const { chat, settle } = await start();
    await settle();
    for (const place of [inGroup, {}]) {
      await chat.receive('a1', 'well', { ...place, id: 'after the restart' });
      await settle();
    }
    expect([sent(second.chat), sent(chat)]).toEqual([
      [['a1', 'How are you?']],
      [
        ['g1', 'well'],
        ['a1', '"well"'],
      ],
    ]);
  });

  it('sends the link of a sign-in to the private chat', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const agent: Agent = {
      name: 'helper',
      async *runAsync(context) {
        const { invocationId } = context;
        const args = { functionCallId: 'call', authConfig: { authUri: 'https://login.example/?state=1' } };
        const id = `sign-in ${invocationId}`;
        const parts = [{ functionCall: { id, name: 'adk_request_credential', args } }];
        const content = { role: 'model' as const, parts };
        yield createEvent({ author: 'helper', invocationId, content, longRunningToolIds: [id] }, runtime);
      },
    };
    const { sessions: sessionService } = storage;
    const runner = new Runner({ appName, agent, sessionService, runtime, autoCreateSession: true });
    const options = { createParts: () => ({ runner }) };
    const { chat, settle } = await startAssistant({ llm: new ScriptedLlm(), runtime, storage, options });
    // The address of the private chat is that of the last private message, otherwise the sender.
    for (const place of [inGroup, { address: 'p1' }, inGroup]) {
      await chat.receive('a1', 'read my mail', place);
      await settle();
    }
    const link = 'Please sign in: https://login.example/?state=1';
    expect(sent(chat)).toEqual(['a1', 'p1', 'p1'].map((to) => [to, link]));
  });

  it('does not take a yes in the group as the answer to a private /forget', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('Fine.'));
    const { chat, settle, storage } = await startAssistant({ llm, runtime });
    await chat.receive('a1', '/remember I like tea');
    await chat.receive('a1', '/forget');
    await settle();
    await chat.receive('a1', 'yes', inGroup);
    await settle();
    expect(sent(chat).at(-1)).toEqual(['g1', 'Fine.']);
    const { memories } = await storage.memory.searchMemory({ appName, userId: 'ada', query: 'tea' });
    expect(memories).toHaveLength(1);
    await chat.receive('a1', 'yes');
    await settle();
    expect(sent(chat).at(-1)).toEqual(['a1', expect.stringMatching(/^Forgotten/)]);
  });

  it('does not join a private message to a run of the group', async () => {
    const runtime = new FixedRuntime();
    const gate = Promise.withResolvers<void>();
    const llm = new ScriptedLlm(async () => {
      await gate.promise;
      return says('Sunny.');
    }, says('Healthy.'));
    const { chat, settle } = await startAssistant({ llm, runtime });
    await chat.receive('a1', 'weather?', inGroup);
    await runtime.advance(1_000);
    await chat.receive('a1', 'my blood test?');
    await runtime.advance(1_000);
    gate.resolve();
    await settle();
    expect(sent(chat)).toEqual([
      ['g1', 'Sunny.'],
      ['a1', 'Healthy.'],
    ]);
  });
});
