import { textOf } from '@thole/core';
import { calls, fails, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { appName, newStorage, startAssistant } from '../support/assistant.ts';
import { LocalChannel } from '../support/local-channel.ts';

const ada = { appName, userId: 'ada', sessionId: 'ada:chat' };

describe('Conversation', () => {
  it('joins messages that arrive within one second into one (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('Hello.'), says('Later.'));
    const { chat, settle, storage } = await startAssistant({ llm, runtime });
    await chat.receive('a1', 'one');
    await runtime.advance(900);
    await chat.receive('a1', 'two');
    await settle();
    await chat.receive('a1', 'three');
    await settle();
    const session = await storage.sessions.getSession(ada);
    expect(session?.events.map(({ author, content }) => [author, textOf(content)])).toEqual([
      ['user', 'one\ntwo'],
      ['companion', 'Hello.'],
      ['user', 'three'],
      ['companion', 'Later.'],
    ]);
    expect(chat.texts).toEqual(['Hello.', 'Later.']);
  });

  it('answers a repeated message once (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('Hello.'));
    const { chat, settle } = await startAssistant({ llm, runtime });
    await chat.receive('a1', 'hi', { id: 'm1' });
    await settle();
    await chat.receive('a1', 'hi', { id: 'm1' });
    await settle();
    expect(chat.texts).toEqual(['Hello.']);
    expect(llm.requests).toHaveLength(1);
  });

  it('adds a message that arrives during a run to it, and answers both once (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const release = Promise.withResolvers<void>();
    const look = new FunctionTool({
      name: 'look',
      description: 'Looks something up.',
      parameters: { type: 'object' },
      execute: async () => {
        await release.promise;
        return { found: true };
      },
    });
    const llm = new ScriptedLlm(calls('look', {}), says('Both done.'));
    const { chat, dispatcher, settle, storage } = await startAssistant({ llm, runtime, tools: [look] });
    await chat.receive('a1', 'look it up');
    await runtime.advance(1_000);
    await chat.receive('a1', 'and be quick');
    await runtime.advance(1_000);
    release.resolve();
    await runtime.advance(1_000);
    await settle();
    expect(chat.texts).toEqual(['Both done.']);
    expect(llm.requests[1]!.contents.map(textOf).join()).toContain('and be quick');
    const session = await storage.sessions.getSession(ada);
    expect(new Set(session!.events.map(({ invocationId }) => invocationId)).size).toBe(1);
    expect(await storage.deliveries.unfinished()).toEqual([]);
    await dispatcher.close();
  });

  it('does not send the events of the user back to the channel', async () => {
    const runtime = new FixedRuntime();
    const { chat, settle } = await startAssistant({ llm: new ScriptedLlm(says('Hello.')), runtime });
    await chat.receive('a1', 'do not echo me');
    await settle();
    expect(chat.texts).toEqual(['Hello.']);
  });

  it('creates the parts at the first message, and again after reload, with the same session', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('One.'), says('Two.'), says('Three.'));
    let created = 0;
    const { chat, dispatcher, settle } = await startAssistant({ llm, runtime, onCreate: () => void created++ });
    expect(created).toBe(0);
    await chat.receive('a1', 'first');
    await settle();
    await chat.receive('a1', 'second');
    await settle();
    expect(created).toBe(1);
    dispatcher.reload();
    await chat.receive('a1', 'third');
    await settle();
    expect(created).toBe(2);
    expect(llm.requests[2]!.contents.map(textOf)).toEqual(['first', 'One.', 'second', 'Two.', 'third']);
  });

  it('keeps the old parts if new parts cannot be created', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('One.'), says('Two.'));
    let isBroken = false;
    const { chat, dispatcher, failures, settle } = await startAssistant({
      llm,
      runtime,
      onCreate: () => {
        if (isBroken) throw new Error('wrong configuration');
      },
    });
    await chat.receive('a1', 'first');
    await settle();
    isBroken = true;
    dispatcher.reload();
    await chat.receive('a1', 'second');
    await settle();
    expect(chat.texts).toEqual(['One.', 'Two.']);
    expect(String(failures[0]?.error)).toContain('wrong configuration');
  });

  it('sends texts.failed once if a run has failed, and handles the next message', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(fails('MODEL_AUTH'), says('Better.'));
    const { chat, failures, settle, storage } = await startAssistant({ llm, runtime });
    await chat.receive('a1', 'hi');
    await settle();
    await chat.receive('a1', 'again');
    await settle();
    expect(chat.texts).toEqual([expect.stringContaining('went wrong'), 'Better.']);
    expect(failures).toHaveLength(1);
    expect(await storage.deliveries.unfinished()).toEqual([]);
  });

  it('sends texts.failed for each message of a run that fails, as a reply to the message', async () => {
    const runtime = new FixedRuntime();
    const gate = Promise.withResolvers<void>();
    const tools = [new FunctionTool({ name: 'wait', description: 'Waits.', execute: () => gate.promise })];
    const llm = new ScriptedLlm(calls('wait', {}, 'c1'), fails('MODEL_AUTH'));
    const { chat, failures, settle } = await startAssistant({ llm, runtime, tools });
    await chat.receive('a1', 'hi', { id: 'm1' });
    await runtime.advance(1_500);
    await chat.receive('a1', 'and this', { id: 'm2' });
    await runtime.advance(1_500);
    gate.resolve();
    await settle();
    await runtime.advance(2_000);
    await settle();
    expect(chat.requests.map(({ message }) => message.replyTo)).toEqual(['m1', 'm2']);
    expect(failures.map(({ error }) => (error as { code?: string }).code)).toEqual(['MODEL_AUTH', 'MODEL_AUTH']);
  });

  it('separates users, and shares memory between the channels of one user (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const channels = [new LocalChannel('chat'), new LocalChannel('mail')];
    const { settle } = await startAssistant({ llm: new ScriptedLlm(), runtime, channels });
    const [chat, mail] = channels as [LocalChannel, LocalChannel];
    await chat.receive('a1', '/remember My cat is called Mia');
    await settle();
    await chat.receive('b1', '/memory');
    await mail.receive('ada@x', '/memory');
    await settle();
    expect(chat.accepted.map(({ text, to }) => [to, text])).toEqual([
      ['a1', 'Remembered: My cat is called Mia'],
      ['b1', 'Nothing is remembered.'],
    ]);
    expect(mail.texts).toEqual(['1. note: My cat is called Mia']);
  });

  it('sends the answer to the address of the message, and an edit as a new message', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('In the group.'), says('Seen.'));
    const { chat, settle } = await startAssistant({ llm, runtime });
    const group = { id: 'g1', isAddressed: true };
    await chat.receive('a1', 'hello all', { id: 'm1', address: 'g1', group });
    await settle();
    await chat.receive('a1', 'hello everyone', { id: 'm1', address: 'g1', group, edited: '2' });
    await settle();
    await chat.receive('a1', 'not for the agent', { address: 'g1', group: { id: 'g1', isAddressed: false } });
    await settle();
    expect(chat.accepted.map(({ text, to }) => [to, text])).toEqual([
      ['g1', 'In the group.'],
      ['g1', 'Seen.'],
    ]);
    expect(textOf(llm.requests[1]!.contents.at(-1))).toContain(
      'edited an earlier message. It now reads:) hello everyone',
    );
  });

  it('answers an edit within the same second as the message itself', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('Hello.'));
    const { chat, settle } = await startAssistant({ llm, runtime });
    await chat.receive('a1', 'helo', { id: 'm1' });
    await chat.receive('a1', 'hello', { id: 'm1', edited: '2' });
    await settle();
    expect(llm.requests[0]!.contents.map(textOf)).toEqual(['hello']);
    expect(chat.texts).toEqual(['Hello.']);
  });

  it('passes files to the agent and answers of a model with files to the channel', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm(says('A cat.'));
    const { chat, settle } = await startAssistant({ llm, runtime, storage: newStorage(runtime) });
    await chat.receive('a1', '', { files: [{ mimeType: 'image/png', data: 'aGk=', name: 'cat.png' }] });
    await settle();
    expect(llm.requests[0]!.contents[0]!.parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: 'aGk=', displayName: 'cat.png' } },
    ]);
    expect(chat.texts).toEqual(['A cat.']);
  });
});
