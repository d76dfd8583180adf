import { TholeError } from '@thole/core';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { addUsers, newStorage, startAssistant } from '../support/assistant.ts';
import { LocalChannel } from '../support/local-channel.ts';
import { Dispatcher } from '../../src/index.ts';

const down = (): Promise<void> => Promise.reject(new TholeError('CHANNEL_UNAVAILABLE', 'down'));

describe('Outbox', () => {
  it('repeats a send with the same key, and keeps the order of an address (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    let failures = 3;
    chat.onSend = () => (failures-- > 0 ? down() : undefined);
    await dispatcher.send({ userId: 'ada', message: 'one', idempotencyKey: 'k1' });
    await dispatcher.send({ userId: 'ada', message: 'two', idempotencyKey: 'k2' });
    await runtime.advance(100);
    expect(chat.requests).toHaveLength(1);
    await runtime.advance(20_000);
    await dispatcher.idle();
    expect(chat.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['k1', 'k1', 'k1', 'k1', 'k2']);
    expect(chat.texts).toEqual(['one', 'two']);
  });

  it('does not delay other addresses while one address fails (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    chat.onSend = ({ to }) => (to === 'a1' ? down() : undefined);
    await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'stuck' });
    await dispatcher.send({ userId: 'bob', message: 'fine' });
    await dispatcher.idle();
    expect(chat.accepted).toEqual([expect.objectContaining({ to: 'b1', text: 'fine' })]);
  });

  it('waits for retryAfterMs of the error', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    chat.onSend = () => Promise.reject(new TholeError('CHANNEL_UNAVAILABLE', 'slow', { retryAfterMs: 60_000 }));
    await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'one' });
    await runtime.advance(59_000);
    expect(chat.requests).toHaveLength(1);
    await runtime.advance(1_000);
    expect(chat.requests).toHaveLength(2);
  });

  it('has no timer for a message of a deleted user', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    const before = runtime.pending;
    chat.onSend = () => Promise.reject(new TholeError('CHANNEL_UNAVAILABLE', 'slow', { retryAfterMs: 3_600_000 }));
    await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'one' });
    await dispatcher.idle();
    expect(runtime.pending).toBe(before + 1);
    await dispatcher.deleteUser({ userId: 'ada' });
    expect(runtime.pending).toBe(before);
    await runtime.advance(3_600_000);
    expect(chat.requests).toHaveLength(1);
  });

  it('waits at most an hour', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    chat.onSend = () => Promise.reject(new TholeError('CHANNEL_UNAVAILABLE', 'slow', { retryAfterMs: 1e12 }));
    await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'one' });
    await runtime.advance(3_600_000);
    expect(chat.requests).toHaveLength(2);
  });

  it('stops after maxAttempts, reports the failure and sends the next message', async () => {
    const runtime = new FixedRuntime();
    const options = { maxAttempts: 3 };
    const { chat, dispatcher, failures, storage } = await startAssistant({ llm: new ScriptedLlm(), runtime, options });
    chat.onSend = ({ message }) => (message.text === 'bad' ? down() : undefined);
    const { key } = await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'bad' });
    await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'good' });
    await runtime.advance(60_000);
    await dispatcher.idle();
    expect(chat.requests.map(({ message }) => message.text)).toEqual(['bad', 'bad', 'bad', 'good']);
    expect(await storage.deliveries.status(key)).toMatchObject({ status: 'failed', reason: 'CHANNEL_UNAVAILABLE' });
    expect(failures.map(({ step }) => step)).toEqual(['send', 'send']);
  });

  it('ends an attempt after sendTimeoutMs', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({
      llm: new ScriptedLlm(),
      runtime,
      options: { sendTimeoutMs: 500 },
    });
    let hangs = true;
    chat.onSend = () => (hangs ? new Promise<void>(() => {}) : undefined);
    await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'one' });
    await runtime.advance(600);
    hangs = false;
    await runtime.advance(2_000);
    await dispatcher.idle();
    expect(chat.texts).toEqual(['one']);
  });

  it('keeps messages of a removed channel until it is added again', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher, storage } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    await dispatcher.setChannels([]);
    expect(chat.handler).toBeUndefined();
    await expect(dispatcher.send({ userId: 'ada', message: 'one' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'two' });
    await dispatcher.idle();
    expect(await storage.deliveries.pending()).toHaveLength(1);
    const added = new LocalChannel();
    await dispatcher.setChannels([added]);
    await dispatcher.idle();
    expect(added.texts).toEqual(['two']);
  });

  it('starts a channel that failed to start when setChannels is called again', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    const mail = new LocalChannel('mail');
    const start = mail.start.bind(mail);
    mail.start = () => Promise.reject(new Error('The port is in use.'));
    await expect(dispatcher.setChannels([chat, mail])).rejects.toThrow('The port is in use.');
    expect(dispatcher.channels).toEqual([chat]);
    mail.start = start;
    await dispatcher.setChannels([chat, mail]);
    await dispatcher.send({ userId: 'ada', channel: 'mail', message: 'one' });
    await dispatcher.idle();
    expect([mail.handler, mail.texts]).toEqual([dispatcher, ['one']]);
  });

  it('starts the old channel again if the new one cannot start, and sends its messages', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    const broken = Object.assign(new LocalChannel(), { canSend: () => false });
    broken.start = async () => {
      await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'one' });
      throw new Error('The port is in use.');
    };
    await expect(dispatcher.setChannels([broken])).rejects.toThrow('The port is in use.');
    await dispatcher.idle();
    expect([dispatcher.channels, chat.handler, chat.texts]).toEqual([[chat], dispatcher, ['one']]);
  });

  it('reports an old channel that cannot start again, and starts the others', async () => {
    const runtime = new FixedRuntime();
    const [chat, mail] = [new LocalChannel(), new LocalChannel('mail')];
    const channels = [chat, mail];
    const { dispatcher, failures } = await startAssistant({ llm: new ScriptedLlm(), runtime, channels });
    chat.start = () => Promise.reject(new Error('The token has expired.'));
    const broken = Object.assign(new LocalChannel('web'), { start: () => Promise.reject(new Error('In use.')) });
    await expect(dispatcher.setChannels([broken])).rejects.toThrow('In use.');
    expect([dispatcher.channels, mail.handler]).toEqual([[mail], dispatcher]);
    expect(failures).toMatchObject([
      { step: 'startup', channel: 'chat', error: { message: 'The token has expired.' } },
    ]);
  });

  it('records later reports of the service', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher, storage } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    const { key } = await dispatcher.send({ userId: 'ada', channel: 'chat', message: 'one' });
    await dispatcher.idle();
    expect(await storage.deliveries.status(key)).toMatchObject({ status: 'sent' });
    await chat.handler!.onReport({ channel: 'chat', id: 'sent-1', status: 'read' });
    expect(await storage.deliveries.status(key)).toMatchObject({ status: 'read' });
  });

  it('sends a message once and in order if it was put before start', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    await addUsers(storage.identities);
    const earlier = { key: 'k1', userId: 'bob', channel: 'chat', to: 'b1', message: { text: 'one' }, createdAt: 0 };
    await storage.deliveries.put(earlier);
    const chat = new LocalChannel();
    const { deliveries, identities, sessions } = storage;
    const createParts = () => Promise.reject(new Error('not used'));
    const services = { appName: 'companion', createParts, deliveries, identities, runtime, sessions };
    const dispatcher = new Dispatcher({ ...services, channels: [chat] });
    await dispatcher.send({ userId: 'bob', message: 'two' });
    await dispatcher.start();
    await dispatcher.idle();
    expect(chat.texts).toEqual(['one', 'two']);
  });

  it('sends a message that was put while the store was read at the start', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    await addUsers(storage.identities);
    const { deliveries, identities, sessions } = storage;
    const pending = deliveries.pending.bind(deliveries);
    const chat = new LocalChannel();
    const createParts = () => Promise.reject(new Error('not used'));
    const services = { appName: 'companion', createParts, deliveries, identities, runtime, sessions };
    const dispatcher = new Dispatcher({ ...services, channels: [chat] });
    deliveries.pending = async () => {
      const found = await pending();
      await dispatcher.send({ userId: 'bob', message: 'two' });
      return found;
    };
    await dispatcher.start();
    await dispatcher.idle();
    expect(chat.texts).toEqual(['two']);
  });

  it('sends a message with a known key once', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(says('x')), runtime });
    for (let i = 0; i < 3; i++) await dispatcher.send({ userId: 'bob', message: 'one', idempotencyKey: 'same' });
    await dispatcher.idle();
    expect(chat.texts).toEqual(['one']);
  });
});
