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

async function memoriesOf({ memory }: Storage, userId = 'ada'): Promise<string[]> {
  const { memories } = await memory.listMemories!({ appName, userId, filter: {} });
  return memories.map(({ content }) => textOf(content));
}

describe('Conversation with a consolidator', () => {
  it('adds an idle conversation to memory, both sides, then deletes its session', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('Noted.'), says('Fresh start.'));
    const memory = { idleMs: 1.5 * MINUTE_MS };
    const { chat, settle, storage } = await startAssistant({ llm, runtime, memory });
    await chat.receive('a1', 'I am vegetarian.');
    await settle();
    await runtime.advance(1.4 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeDefined();
    await runtime.advance(0.2 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await memoriesOf(storage)).toEqual(['I am vegetarian.', 'Noted.']);
    await chat.receive('a1', 'hello again');
    await settle();
    expect(llm.requests[1]!.contents.map(textOf)).toEqual(['hello again']);
  });

  it('keeps an idle session if memory or automatic ingestion is off', async () => {
    for (const memory of [{ enabled: false }, { autoIngest: false }]) {
      const runtime = new FixedRuntime();
      const { chat, settle, storage } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, memory });
      await chat.receive('a1', 'hello');
      await settle();
      await runtime.advance(120 * MINUTE_MS);
      expect(await storage.sessions.getSession(ada)).toBeDefined();
    }
  });

  it('starts the idle timer if the consolidator is not a plugin of the runner', async () => {
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
    await chat.receive('a1', 'hello');
    await settle();
    await runtime.advance(30 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
  });

  it('does not restart the idle timer after a command, or send it to the model', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('Hi.'));
    const { chat, settle, storage } = await startAssistant({ llm, runtime });
    await chat.receive('a1', 'hello');
    await settle();
    await runtime.advance(20 * MINUTE_MS);
    await chat.receive('a1', '/help');
    await settle();
    expect(chat.texts.at(-1)).toContain('/remember <fact>');
    await runtime.advance(10 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await memoriesOf(storage)).toEqual(['hello', 'Hi.']);
    expect(llm.requests).toHaveLength(1);
  });

  it('keeps the session until it is in memory if the memory service fails', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const add = storage.memory.addSessionToMemory.bind(storage.memory);
    let isDown = true;
    storage.memory.addSessionToMemory = (session, call) =>
      isDown ? Promise.reject(new Error('memory is down')) : add(session, call);
    const { chat, settle } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, storage });
    await chat.receive('a1', 'hello');
    await settle();
    await runtime.advance(30 * MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeDefined();
    isDown = false;
    await runtime.advance(MINUTE_MS);
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await memoriesOf(storage)).toEqual(['hello', 'Hi.']);
  });

  it('adds idle sessions to memory at the next start, not at close', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const first = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, storage });
    await first.chat.receive('a1', 'hello');
    await first.settle();
    await first.dispatcher.close();
    expect(await memoriesOf(storage)).toEqual([]);
    await runtime.advance(60 * MINUTE_MS);
    const second = await startAssistant({ llm: new ScriptedLlm(), runtime, storage });
    await second.dispatcher.idle();
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await memoriesOf(storage)).toEqual(['hello', 'Hi.']);
  });

  it('starts the idle timer again at the next start', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const first = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, storage });
    await first.chat.receive('a1', 'hello');
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

describe('Conversation commands', () => {
  it('adds the conversation to memory and then deletes it after /reset', async () => {
    const runtime = new FixedRuntime();
    const { chat, settle, storage } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime });
    await chat.receive('a1', 'hello');
    await settle();
    await chat.receive('a1', '/reset');
    await settle();
    expect(await storage.sessions.getSession(ada)).toBeUndefined();
    expect(await memoriesOf(storage)).toEqual(['hello', 'Hi.']);
  });

  it('reads the message after /forget as its confirmation, and does not call the model', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm();
    const { chat, settle, storage } = await startAssistant({ llm, runtime });
    await chat.receive('a1', '/remember I like tea');
    await chat.receive('a1', '/forget');
    await settle();
    await chat.receive('a1', 'yes');
    await settle();
    expect(await memoriesOf(storage)).toEqual([]);
    expect(llm.requests).toEqual([]);
    expect(chat.texts).toHaveLength(3);
  });

  it('runs a command after earlier messages, and sends a hint for an unknown command', async () => {
    const runtime = new FixedRuntime();
    const { chat, settle, storage } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime });
    await chat.receive('a1', 'hello');
    await chat.receive('a1', '/reset@companion_bot');
    await chat.receive('a1', '/unknown thing');
    await settle();
    expect(chat.texts).toEqual(['Hi.', expect.any(String), 'There is no such command. /help lists all commands.']);
    expect(await memoriesOf(storage)).toEqual(['hello', 'Hi.']);
  });

  it('runs commands of the app for their roles, and reports a failing command', async () => {
    const runtime = new FixedRuntime();
    const users = { name: 'users', help: 'lists users', roles: ['admin'] as const, run: () => 'ada, bob' };
    const broken = { name: 'broken', help: 'fails', run: () => Promise.reject(new Error('no')) };
    const options = { commands: [users, broken] };
    const { chat, failures, settle } = await startAssistant({ llm: new ScriptedLlm(), runtime, options });
    await chat.receive('a1', '/USERS');
    await settle();
    await chat.receive('b1', '/users');
    await settle();
    await chat.receive('a1', '/broken');
    await settle();
    expect(chat.texts).toEqual([
      'ada, bob',
      'There is no such command. /help lists all commands.',
      'The command failed. Please try again.',
    ]);
    expect(failures.map(({ step }) => step)).toEqual(['command']);
  });

  it('handles a path as a message', async () => {
    const runtime = new FixedRuntime();
    const { chat, settle } = await startAssistant({ llm: new ScriptedLlm(says('I see.')), runtime });
    await chat.receive('a1', '/usr/bin is full');
    await settle();
    expect(chat.texts).toEqual(['I see.']);
  });
});

describe('Dispatcher with two channels', () => {
  it('creates two sessions and one memory for a user (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const channels = [new LocalChannel('chat'), new LocalChannel('mail')];
    const llm = new ScriptedLlm(says('Hi.'), says('Hello.'));
    const { settle, storage } = await startAssistant({ llm, runtime, channels });
    await channels[0]!.receive('a1', 'from chat');
    await channels[1]!.receive('ada@x', 'from mail');
    await settle();
    const { sessions } = await storage.sessions.listSessions({ appName, userId: 'ada' });
    expect(sessions.map(({ id }) => id).sort()).toEqual(['ada:chat', 'ada:mail']);
    await runtime.advance(30 * MINUTE_MS);
    expect((await memoriesOf(storage)).sort()).toEqual(['Hello.', 'Hi.', 'from chat', 'from mail'].sort());
  });
});
