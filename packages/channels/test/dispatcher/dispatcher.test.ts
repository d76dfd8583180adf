import { textOf } from '@thole/core';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it, vi } from 'vitest';
import { Dispatcher } from '../../src/index.ts';
import type { AccessRequest, DispatcherOptions } from '../../src/index.ts';
import { appName, startAssistant } from '../support/assistant.ts';
import { LocalChannel } from '../support/local-channel.ts';

describe('Dispatcher unknownSenders', () => {
  it('drops messages of unknown senders by default, and calls no model (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const llm = new ScriptedLlm();
    const { chat, settle, storage } = await startAssistant({ llm, runtime });
    await chat.receive('stranger', 'hello', { senderName: 'Ada' });
    await settle();
    expect([llm.requests, chat.texts, await storage.deliveries.unfinished()]).toEqual([[], [], []]);
  });

  it('answers waiting messages after an approval, also after a restart (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const requests: AccessRequest[] = [];
    const options: Partial<DispatcherOptions> = {
      unknownSenders: 'approve',
      onRequest: (each) => void requests.push(each),
    };
    const first = await startAssistant({ llm: new ScriptedLlm(), runtime, options });
    await first.chat.receive('c1', 'hello', { senderName: 'Cleo' });
    await first.chat.receive('c1', 'anyone there?', { senderName: 'Cleo' });
    await first.settle();
    expect(first.chat.texts).toEqual([expect.stringContaining('when you are approved')]);
    expect(requests).toMatchObject([{ channel: 'chat', sender: 'c1', name: 'Cleo' }]);
    await first.dispatcher.close();

    const llm = new ScriptedLlm(says('Welcome.'));
    const second = await startAssistant({ llm, runtime, storage: first.storage, options });
    const user = await second.dispatcher.approve({ channel: 'chat', sender: 'c1' });
    await second.settle();
    expect(user).toMatchObject({ id: 'cleo', name: 'Cleo', role: 'user' });
    expect(second.chat.texts).toEqual([expect.stringContaining('You are approved'), 'Welcome.']);
    expect(textOf(llm.requests[0]!.contents[0])).toBe('hello\nanyone there?');
    expect(await second.storage.identities.listRequests()).toEqual([]);
  });

  it.each(['deleteUser', 'unlink'])('informs a sender who is approved again after %s', async (removal) => {
    const runtime = new FixedRuntime();
    const options: Partial<DispatcherOptions> = { unknownSenders: 'approve' };
    const llm = new ScriptedLlm(says('one'), says('two'));
    const { chat, dispatcher, settle, storage } = await startAssistant({ llm, runtime, options });
    const identity = { channel: 'chat', sender: 'c1' };
    const expected: unknown[] = [];
    for (const answer of ['one', 'two']) {
      await chat.receive('c1', 'hello');
      await chat.receive('c1', 'anyone there?');
      const user = await dispatcher.approve(identity);
      await settle();
      expected.push(
        expect.stringContaining('when you are approved'),
        expect.stringContaining('You are approved'),
        answer,
      );
      expect(chat.texts).toEqual(expected);
      if (removal === 'unlink') await storage.identities.unlink(identity);
      else await dispatcher.deleteUser({ userId: user.id });
    }
  });

  it('links an unknown sender to an existing user, or rejects the sender', async () => {
    const runtime = new FixedRuntime();
    const options: Partial<DispatcherOptions> = { unknownSenders: 'approve' };
    const { chat, dispatcher, settle, storage } = await startAssistant({
      llm: new ScriptedLlm(says('Hi.')),
      runtime,
      options,
    });
    await chat.receive('a2', 'my new phone');
    await chat.receive('spam', 'buy this');
    await dispatcher.approve({ channel: 'chat', sender: 'a2', userId: 'ada' });
    expect(await dispatcher.reject({ channel: 'chat', sender: 'spam' })).toBe(true);
    await settle();
    expect(chat.accepted.filter(({ text }) => text === 'Hi.')).toMatchObject([{ to: 'a2' }]);
    expect(await storage.identities.listRequests()).toEqual([]);
    expect(await storage.deliveries.unfinished()).toEqual([]);
  });

  it('limits waiting messages to 20 for each of at most 100 unknown senders', async () => {
    const runtime = new FixedRuntime();
    const options: Partial<DispatcherOptions> = { unknownSenders: 'approve' };
    const { chat, storage } = await startAssistant({ llm: new ScriptedLlm(), runtime, options });
    for (let i = 0; i < 25; i++) await chat.receive('flood', `message ${i}`);
    for (let i = 0; i < 120; i++) await chat.receive(`s${i}`, 'hello');
    expect(await storage.identities.listRequests()).toHaveLength(100);
    expect(await storage.deliveries.unfinished()).toHaveLength(20 + 99);
  });

  it('stores the message of an access request even if onRequest throws', async () => {
    const runtime = new FixedRuntime();
    const onRequest = (): void => {
      throw new Error('not notified');
    };
    const options: Partial<DispatcherOptions> = { unknownSenders: 'approve', onRequest };
    const { chat, failures, settle, storage } = await startAssistant({ llm: new ScriptedLlm(), runtime, options });
    await chat.receive('c1', 'hello');
    await settle();
    expect(failures).toMatchObject([{ step: 'command', channel: 'chat', error: { message: 'not notified' } }]);
    expect(await storage.deliveries.unfinished()).toHaveLength(1);
  });

  it('creates a guest for an unknown sender with welcome', async () => {
    const runtime = new FixedRuntime();
    const options: Partial<DispatcherOptions> = { unknownSenders: 'welcome' };
    const { chat, settle, storage } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, options });
    await chat.receive('c1', 'hello', { senderName: 'Ada' });
    await settle();
    expect(await storage.identities.find({ channel: 'chat', sender: 'c1' })).toMatchObject({
      id: 'ada-2',
      role: 'guest',
    });
    expect(chat.texts).toEqual(['Hi.']);
  });
});

describe('Dispatcher', () => {
  it('deletes old keys every day until it is closed, also without a restart', async () => {
    const runtime = new FixedRuntime();
    const days = 86_400_000;
    const { chat, dispatcher, settle, storage } = await startAssistant({
      llm: new ScriptedLlm(),
      runtime,
      options: { rememberKeysMs: 2 * days },
    });
    const prune = vi.spyOn(storage.deliveries, 'prune');
    await chat.receive('a1', '/unknown');
    await settle();
    for (let day = 0; day < 4; day++) await runtime.advance(days);
    expect(prune).toHaveBeenCalledTimes(4);
    expect(await Promise.all(prune.mock.results.map(({ value }) => value as Promise<number>))).toContain(2);
    await dispatcher.close();
    await runtime.advance(days);
    expect(prune).toHaveBeenCalledTimes(4);
  });

  it('rejects invalid messages before anything is stored (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const options = { maxTextLength: 10, maxFileBytes: 10 };
    const { chat, storage } = await startAssistant({ llm: new ScriptedLlm(), runtime, options });
    const good = { channel: 'chat', sender: 'a1', id: '1', text: 'hi' };
    const file = { mimeType: 'image/png', data: 'aGk=' };
    const bad: unknown[] = [
      null,
      'text',
      { ...good, sender: '' },
      { ...good, sender: 7 },
      { ...good, id: undefined },
      { ...good, id: 'x'.repeat(600) },
      { ...good, channel: 'Chat:1' },
      { ...good, text: 7 },
      { ...good, text: 'x'.repeat(11) },
      { ...good, text: ' ' },
      { ...good, files: 'no' },
      { ...good, files: [{ ...file, data: 'not base64!' }] },
      { ...good, files: [{ ...file, mimeType: 'image' }] },
      { ...good, files: [{ ...file, data: 'aGk='.repeat(10) }] },
      { ...good, group: { id: 'g', isAddressed: 'yes' } },
      { ...good, address: '' },
      { ...good, sentAt: 'now' },
    ];
    for (const message of bad)
      await expect(chat.handler!.onMessage(message as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const sentAt = 'message.sentAt must be a finite number of seconds, got a number.';
    await expect(chat.handler!.onMessage({ ...good, sentAt: Infinity } as never)).rejects.toThrow(sentAt);
    expect(await storage.deliveries.unfinished()).toEqual([]);
  });

  it('removes control characters and unknown members from messages', async () => {
    const runtime = new FixedRuntime();
    const { chat, storage } = await startAssistant({ llm: new ScriptedLlm(says('x')), runtime });
    await chat.receive('a1', 'a\u0000b\u001b[2J\r\nc\ud800', { unknown: 1 } as never);
    const [stored] = await storage.deliveries.unfinished();
    expect(stored!.message).toEqual({ channel: 'chat', sender: 'a1', id: 'id-1', text: 'ab[2J\nc\ufffd' });
  });

  it('sends to the channel of the last message by default', async () => {
    const runtime = new FixedRuntime();
    const channels = [new LocalChannel('chat'), new LocalChannel('mail')];
    const { dispatcher, settle } = await startAssistant({ llm: new ScriptedLlm(says('Hi.')), runtime, channels });
    expect(await dispatcher.send({ userId: 'ada', message: 'first' })).toMatchObject({ channel: 'chat' });
    await channels[1]!.receive('ada@x', 'hello');
    await settle();
    expect(await dispatcher.send({ userId: 'ada', message: 'second' })).toMatchObject({ channel: 'mail' });
    await expect(dispatcher.send({ userId: 'unknown', message: 'x' })).rejects.toMatchObject({
      code: 'USER_NOT_FOUND',
    });
  });

  it('rejects an invalid message of send() before it blocks the address', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher, settle, storage } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    const file = { mimeType: 'image/png', data: 'aGk=' };
    const bad: unknown[] = [
      ...[undefined, null, 7, '', ' ', {}, { text: '' }, { text: 7 }, { text: '', files: [] }],
      ...[
        { text: 'x', files: 'no' },
        { text: 'x', files: [{ data: 'aGk=' }] },
      ],
      ...[
        { text: 'x', choices: 'yes' },
        { text: 'x', replyTo: 7 },
      ],
    ];
    for (const message of bad)
      await expect(dispatcher.send({ userId: 'ada', message: message as never })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    expect(await storage.deliveries.pending()).toEqual([]);
    await dispatcher.send({ userId: 'ada', message: { text: '', files: [file] } });
    await dispatcher.send({ userId: 'ada', message: 'good' });
    await settle();
    expect(chat.texts).toEqual(['', 'good']);
  });

  it('rejects wrong texts, and uses the default of a text that is undefined', async () => {
    const runtime = new FixedRuntime();
    const start = (texts: object): ReturnType<typeof startAssistant> =>
      startAssistant({ llm: new ScriptedLlm(), runtime, options: { texts } });
    const bad: [object, string][] = [
      [{ yes: 'ja' }, 'texts.yes must be an array of words, got a string.'],
      [{ no: [] }, 'texts.no must have at least one word, and no empty words.'],
      [{ no: ['no', ' '] }, 'texts.no must have at least one word, and no empty words.'],
      [{ failed: 7 }, 'texts.failed must be a string, got a number.'],
      [{ faild: 'x' }, 'texts has no option faild.'],
    ];
    for (const [texts, sentence] of bad) await expect(start(texts)).rejects.toThrow(sentence);
    const { chat, settle } = await start({ unknownCommand: undefined, commandFailed: 'No.' });
    await chat.receive('a1', '/unknown');
    await settle();
    expect(chat.texts).toEqual(['There is no such command. /help lists all commands.']);
  });

  it('keeps the memory of a deleted user, and deletes it with data: true', async () => {
    for (const data of [false, true]) {
      const runtime = new FixedRuntime();
      const { chat, dispatcher, settle, storage } = await startAssistant({
        llm: new ScriptedLlm(says('Hi.')),
        runtime,
      });
      await chat.receive('a1', '/remember I like tea');
      await chat.receive('a1', 'hello');
      await settle();
      expect(await dispatcher.deleteUser({ userId: 'ada', data })).toBe(true);
      expect(await dispatcher.deleteUser({ userId: 'ada', data })).toBe(false);
      const { memories } = await storage.memory.listMemories!({ appName, userId: 'ada', filter: {} });
      const session = await storage.sessions.getSession({ appName, userId: 'ada', sessionId: 'ada:chat' });
      expect([memories.length, session === undefined]).toEqual(data ? [0, true] : [1, false]);
      await chat.receive('a1', 'am I still known?');
      await settle();
      expect(chat.texts).toHaveLength(2);
      // Another Ada does not get the id of the deleted user, and so not her memory.
      expect(await storage.identities.create({ name: 'Ada' })).toMatchObject({ id: 'ada-2' });
    }
  });

  it('waits in idle() for gathered messages, and handles them at once in close()', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(says('1'), says('2')), runtime });
    await chat.receive('a1', 'one');
    let isIdle = false;
    const idle = dispatcher.idle().then(() => (isIdle = true));
    await runtime.advance(500);
    expect(isIdle).toBe(false);
    await runtime.advance(500);
    await idle;
    expect(chat.texts).toEqual(['1']);
    await chat.receive('a1', 'two');
    await dispatcher.close();
    expect(chat.texts).toEqual(['1', '2']);
  });

  it('stops all channels and rejects if one cannot start', async () => {
    const runtime = new FixedRuntime();
    const good = new LocalChannel('good');
    const bad = new LocalChannel('bad');
    bad.start = () => Promise.reject(new Error('wrong token'));
    const starting = startAssistant({ llm: new ScriptedLlm(), runtime, channels: [good, bad] });
    await expect(starting).rejects.toThrow('wrong token');
    expect(good.handler).toBeUndefined();
  });

  it('rejects wrong options', () => {
    const create = (options: object) => () => new Dispatcher(options as DispatcherOptions);
    expect(create({ appName: 'a', channel: [] })).toThrowError(/channel/);
    expect(create({ appName: 'a', channels: [{}] })).toThrowError(/start\(\)/);
    const twice = [new LocalChannel('a'), new LocalChannel('a')];
    expect(create({ appName: 'a', channels: twice })).toThrowError(/Two channels/);
    expect(create({ appName: 'a', channels: [new LocalChannel('A B')] })).toThrowError(/channels\[0\].name/);
  });
});
