import { textOf } from '@thole/core';
import { memoryParts } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { ConversationParts } from '../../src/index.ts';
import { appName, newStorage, startAssistant } from '../support/assistant.ts';
import { LocalChannel } from '../support/local-channel.ts';
import type { Storage } from '../support/assistant.ts';

const ada = { appName, userId: 'ada', sessionId: 'ada:chat' };
const MINUTE_MS = 60_000;

async function remembered({ memory }: Storage, userId = 'ada'): Promise<string[]> {
  const { memories } = await memory.listMemories!({ appName, userId, filter: {} });
  return memories.map(({ content }) => textOf(content));
}

describe('idle conversations', () => {
  it('are added to memory with both sides and then deleted, after fractions of minutes too', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('Noted.'), says('Fresh start.'));
    const memory = { idleMs: 1.5 * MINUTE_MS };
    const { chat, settle, storage } = await startAssistant({ llm, runtime, memory });
    await chat.hear('a1', 'I am vegetarian.');
    await settle();
    await runtime.advance(1.4 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeDefined();
    await runtime.advance(0.2 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await remembered(storage)).toEqual(['I am vegetarian.', 'Noted.']);
    await chat.hear('a1', 'hello again');
    await settle();
    expect(llm.requests[1]!.contents.map(textOf)).toEqual(['hello again']);
  });

  it('stay if memory or automatic ingestion is off', async () => {
    for (const memory of [{ enabled: false }, { autoIngest: false }]) {
      const runtime = new FixedRuntime();
      const { chat, settle, storage } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, memory });
      await chat.hear('a1', 'hello');
      await settle();
      await runtime.advance(120 * MINUTE_MS);
      expect(await storage.sessions.getSession(ada)).toBeDefined();
    }
  });

  it('are armed by the conversation if the consolidator is not a plugin of the runner', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const llm = new ScriptedLlm(says('Hi.'));
    const createParts = (): ConversationParts => {
      const { sessions } = storage;
      const { consolidator } = memoryParts({ sessions, memory: storage.memory, runtime });
      const agent = new LlmAgent({ name: 'companion', model: llm });
      const options = { appName, agent, sessionService: sessions, runtime, autoCreateSession: true };
      return { runner: new Runner({ ...options, concurrency: { policy: 'join' } }), consolidator };
    };
    const { chat, settle } = await startAssistant({ llm, runtime, storage, options: { createParts } });
    await chat.hear('a1', 'hello');
    await settle();
    await runtime.advance(30 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
  });

  it('are not delayed by commands, which the model and memory never see', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('Hi.'));
    const { chat, settle, storage } = await startAssistant({ llm, runtime });
    await chat.hear('a1', 'hello');
    await settle();
    await runtime.advance(20 * MINUTE_MS);
    await chat.hear('a1', '/help');
    await settle();
    expect(chat.texts.at(-1)).toContain('/remember <fact>');
    await runtime.advance(10 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await remembered(storage)).toEqual(['hello', 'Hi.']);
    expect(llm.requests).toHaveLength(1);
  });

  it('are not lost if memory fails: the session stays until it is in memory', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const add = storage.memory.addSessionToMemory.bind(storage.memory);
    let isDown = true;
    storage.memory.addSessionToMemory = (session, call) =>
      isDown ? Promise.reject(new Error('memory is down')) : add(session, call);
    const { chat, settle } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, storage });
    await chat.hear('a1', 'hello');
    await settle();
    await runtime.advance(30 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeDefined();
    isDown = false;
    await runtime.advance(MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await remembered(storage)).toEqual(['hello', 'Hi.']);
  });

  it('are consolidated at the next start if the process was off, and not when it stops', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const first = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, storage });
    await first.chat.hear('a1', 'hello');
    await first.settle();
    await first.dispatcher.close();
    expect(await remembered(storage)).toEqual([]);
    await runtime.advance(60 * MINUTE_MS);
    const second = await startAssistant({ llm: new ScriptedLlm(), runtime, storage });
    await second.dispatcher.idle();
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await remembered(storage)).toEqual(['hello', 'Hi.']);
  });

  it('are armed at the next start if they were not idle for long enough', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const first = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, storage });
    await first.chat.hear('a1', 'hello');
    await first.settle();
    await first.dispatcher.close();
    await runtime.advance(10 * MINUTE_MS);
    const second = await startAssistant({ llm: new ScriptedLlm(), runtime, storage });
    await second.dispatcher.idle();
    expect(await storage.sessions.getSession(ada)).toBeDefined();
    await runtime.advance(20 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
  });
});

describe('commands of memory in a conversation', () => {
  it('/reset adds the conversation to memory and then deletes it', async () => {
    const runtime = new FixedRuntime();
    const { chat, settle, storage } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime });
    await chat.hear('a1', 'hello');
    await settle();
    await chat.hear('a1', '/reset');
    await settle();
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await remembered(storage)).toEqual(['hello', 'Hi.']);
  });

  it('/forget asks, and the next message answers it without reaching the model', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm();
    const { chat, settle, storage } = await startAssistant({ llm, runtime });
    await chat.hear('a1', '/remember I like tea');
    await chat.hear('a1', '/forget');
    await settle();
    await chat.hear('a1', 'yes');
    await settle();
    expect(await remembered(storage)).toEqual([]);
    expect(llm.requests).toEqual([]);
    expect(chat.texts).toHaveLength(3);
  });

  it('run after the messages before them, and unknown commands get a hint', async () => {
    const runtime = new FixedRuntime();
    const { chat, settle, storage } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime });
    await chat.hear('a1', 'hello');
    await chat.hear('a1', '/reset@companion_bot');
    await chat.hear('a1', '/unknown thing');
    await settle();
    expect(chat.texts).toEqual(['Hi.', expect.any(String), 'There is no such command. /help lists all commands.']);
    expect(await remembered(storage)).toEqual(['hello', 'Hi.']);
  });

  it('an app adds commands for roles; a failing one is reported', async () => {
    const runtime = new FixedRuntime();
    const users = { name: 'users', help: 'lists users', roles: ['admin'] as const, run: () => 'ada, bob' };
    const broken = { name: 'broken', help: 'fails', run: () => Promise.reject(new Error('no')) };
    const options = { commands: [users, broken] };
    const { chat, failures, settle } = await startAssistant({ llm: new ScriptedLlm(), runtime, options });
    await chat.hear('a1', '/USERS');
    await settle();
    await chat.hear('b1', '/users');
    await settle();
    await chat.hear('a1', '/broken');
    await settle();
    expect(chat.texts).toEqual([
      'ada, bob',
      'There is no such command. /help lists all commands.',
      'The command failed. Please try again.',
    ]);
    expect(failures.map(({ step }) => step)).toEqual(['command']);
  });

  it('a text that only looks like a path is a message', async () => {
    const runtime = new FixedRuntime();
    const { chat, settle } = await startAssistant({ llm: new ScriptedLlm(says('I see.')), runtime });
    await chat.hear('a1', '/usr/bin is full');
    await settle();
    expect(chat.texts).toEqual(['I see.']);
  });
});

describe('a person on two channels', () => {
  it('has two sessions and one memory (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const channels = [new LocalChannel('chat'), new LocalChannel('mail')];
    const llm = new ScriptedLlm(says('Hi.'), says('Hello.'));
    const { settle, storage } = await startAssistant({ llm, runtime, channels });
    await channels[0]!.hear('a1', 'from chat');
    await channels[1]!.hear('ada@x', 'from mail');
    await settle();
    const { sessions } = await storage.sessions.listSessions({ appName, userId: 'ada' });
    expect(sessions.map(({ id }) => id).sort()).toEqual(['ada:chat', 'ada:mail']);
    await runtime.advance(30 * MINUTE_MS);
    expect((await remembered(storage)).sort()).toEqual(['Hello.', 'Hi.', 'from chat', 'from mail'].sort());
  });
});
