import { TholeError } from '@thole/core';
import { LlmAgent, Runner, SequentialAgent } from '@thole/runner';
import { calls, fails, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { defaultTexts, InMemoryDeliveryStore } from '../../src/index.ts';
import type { DeliveryEnd } from '../../src/index.ts';
import { messageKeyOf } from '../../src/channel/read-inbound-message.ts';
import { appName, newStorage, startAssistant } from '../support/assistant.ts';
import { LocalChannel } from '../support/local-channel.ts';

/** A store that stops writing at one step, like a process that is killed. */
class StopsAtStep extends InMemoryDeliveryStore {
  step: 'begin' | 'finish' | 'settle' | undefined;
  isStopped = false;

  override async begin(keys: readonly string[], batch: { id: string }): Promise<void> {
    return this.#unlessStopped('begin', () => super.begin(keys, batch));
  }
  override async finish(keys: readonly string[], at: number): Promise<void> {
    return this.#unlessStopped('finish', () => super.finish(keys, at));
  }
  override async settle(key: string, end: DeliveryEnd): Promise<void> {
    return this.#unlessStopped('settle', () => super.settle(key, end));
  }

  async #unlessStopped<T>(step: StopsAtStep['step'], work: () => Promise<T>): Promise<T> {
    this.isStopped ||= this.step === step;
    return this.isStopped ? new Promise<T>(() => {}) : work();
  }
  restart(): void {
    this.step = undefined;
    this.isStopped = false;
  }
}

describe('Dispatcher after a restart', () => {
  for (const step of ['begin', 'finish', 'settle'] as const) {
    it(`answers a message once if the process was killed before ${step} (contract 45)`, async () => {
      const runtime = new FixedRuntime();
      const deliveries = new StopsAtStep();
      const storage = { ...newStorage(runtime), deliveries };
      const llm = new ScriptedLlm(says('Hello.'));
      const channel = new LocalChannel();
      const first = await startAssistant({ llm, runtime, storage, channels: [channel] });
      deliveries.step = step;
      await channel.receive('a1', 'hi', { id: 'm1' });
      await runtime.advance(1_000);
      const handler = channel.handler!;
      deliveries.restart();

      const next = new LocalChannel();
      const second = await startAssistant({ llm, runtime, storage, channels: [next] });
      await second.settle();
      // The channel delivers the message again, because it may not have seen the acknowledgement.
      await next.receive('a1', 'hi', { id: 'm1' });
      await second.settle();
      const all = [...channel.accepted, ...next.accepted];
      expect(new Set(all.map(({ key }) => key)).size).toBe(1);
      expect(all.map(({ text }) => text)).toEqual(step === 'settle' ? ['Hello.', 'Hello.'] : ['Hello.']);
      expect(llm.requests).toHaveLength(1);
      expect(await deliveries.unfinished()).toEqual([]);
      expect(await deliveries.pending()).toEqual([]);
      expect(handler).toBe(first.dispatcher);
    });
  }

  it('does not handle the answer to a question as a new message (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const deliveries = new StopsAtStep();
    const storage = { ...newStorage(runtime), deliveries };
    const paid: unknown[] = [];
    const pay = new FunctionTool({
      name: 'pay',
      description: 'Pays.',
      parameters: { type: 'object' },
      requireConfirmation: true,
      execute: async () => ({ count: paid.push(1) }),
    });
    const llm = new ScriptedLlm(calls('pay', {}), says('Paid.'));
    const first = await startAssistant({ llm, runtime, storage, tools: [pay] });
    await first.chat.receive('a1', 'pay');
    await first.settle();
    deliveries.step = 'finish';
    await first.chat.receive('a1', 'yes');
    await runtime.advance(1_000);
    deliveries.restart();
    const second = await startAssistant({ llm, runtime, storage, tools: [pay] });
    await second.settle();
    expect([...first.chat.texts.slice(1), ...second.chat.texts]).toEqual(['Paid.']);
    expect([paid.length, llm.requests.length]).toEqual([1, 2]);
    expect(await deliveries.unfinished()).toEqual([]);
  });

  it.each([10, 200])(
    'sends the answer of a server that recovers the run for %i seconds (contract 45)',
    async (seconds) => {
      const runtime = new FixedRuntime();
      const storage = newStorage(runtime);
      // With a durable store, a process that closes leaves its runs unfinished, like a process that dies.
      Object.defineProperty(storage.sessions, 'isDurable', { value: true });
      const first = await startAssistant({ llm: new ScriptedLlm(() => new Promise(() => {})), runtime, storage });
      await first.chat.receive('a1', 'Hello', { id: 'm1' });
      await runtime.advance(1_000);
      const closing = first.dispatcher.close({ timeoutMs: 0 });
      await runtime.advance(1_000);
      await closing;
      const gate = Promise.withResolvers<void>();
      const model = new ScriptedLlm(() => gate.promise.then(() => says('Hello Ada.')));
      const agent = new LlmAgent({ name: 'companion', model });
      const server = new Runner({ appName, agent, sessionService: storage.sessions, runtime });
      const recovering = Array.fromAsync(server.recover());
      await runtime.advance(100);
      const { chat, failures } = await startAssistant({ llm: new ScriptedLlm(), runtime, storage });
      for (let i = 0; i < seconds / 10; i++) await runtime.advance(10_000);
      gate.resolve();
      for (let i = 0; i < 10; i++) await runtime.advance(10_000);
      expect(await recovering).toMatchObject([{ outcome: 'completed' }]);
      expect(chat.accepted).toMatchObject([{ text: 'Hello Ada.' }]);
      expect(chat.requests[0]!.message.replyTo).toBe('m1');
      expect([failures, await storage.deliveries.unfinished()]).toEqual([[], []]);
    },
  );

  it('sends the stored answers of a run that the crash has interrupted, and continues it (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    Object.defineProperty(storage.sessions, 'isDurable', { value: true });
    const { deliveries } = storage;
    const put = deliveries.put.bind(deliveries);
    const subAgents = ['first', 'second'].map((name) => new LlmAgent({ name, model: new ScriptedLlm(says(name)) }));
    const agent = new SequentialAgent({ name: 'both', subAgents });
    const { sessions: sessionService } = storage;
    const createParts = () => ({
      runner: new Runner({ appName, agent, sessionService, autoCreateSession: true, runtime }),
    });
    const start = () => startAssistant({ llm: new ScriptedLlm(), runtime, storage, options: { createParts } });
    deliveries.put = () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'The database is down.'));
    const killed = await start();
    await killed.chat.receive('a1', 'hi', { id: 'm1' });
    for (let i = 0; i < 5; i++) await runtime.advance(1_000);
    const closing = killed.dispatcher.close({ timeoutMs: 0 });
    await runtime.advance(1_000);
    await closing;
    deliveries.put = put;
    const { chat, settle } = await start();
    await settle();
    expect(chat.texts).toEqual(['first', 'second']);
  });

  it('sends texts.failed for a run that failed before the crash (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const { deliveries } = storage;
    const { put, finish } = deliveries;
    deliveries.put = () => new Promise(() => {});
    deliveries.finish = () => new Promise(() => {});
    const first = await startAssistant({ llm: new ScriptedLlm(fails(new Error('broken'))), runtime, storage });
    await first.chat.receive('a1', 'hi', { id: 'm1' });
    await runtime.advance(1_000);
    Object.assign(deliveries, { put, finish });
    const { chat, settle } = await startAssistant({ llm: new ScriptedLlm(), runtime, storage });
    await settle();
    expect(chat.requests.map(({ message }) => [message.text, message.replyTo])).toEqual([[defaultTexts.failed, 'm1']]);
  });

  it('sends the answer and texts.failed of a run that failed later, before the crash (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const { deliveries, sessions: sessionService } = storage;
    const put = deliveries.put.bind(deliveries);
    const models = [new ScriptedLlm(says('first')), new ScriptedLlm(fails(new Error('broken')))];
    const subAgents = models.map((model, i) => new LlmAgent({ name: `agent${i}`, model }));
    const agent = new SequentialAgent({ name: 'both', subAgents });
    const createParts = () => ({
      runner: new Runner({ appName, agent, sessionService, autoCreateSession: true, runtime }),
    });
    const start = () => startAssistant({ llm: new ScriptedLlm(), runtime, storage, options: { createParts } });
    deliveries.put = (message) =>
      JSON.stringify(message).includes(defaultTexts.failed) ? new Promise(() => {}) : put(message);
    const killed = await start();
    await killed.chat.receive('a1', 'hi', { id: 'm1' });
    await runtime.advance(1_000);
    deliveries.put = put;
    const { chat, settle } = await start();
    await settle();
    expect([killed.chat.texts, chat.texts]).toEqual([['first'], [defaultTexts.failed]]);
  });

  it('does not send the answers of later runs of other callers (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const deliveries = new StopsAtStep();
    const storage = { ...newStorage(runtime), deliveries };
    const llm = new ScriptedLlm(says('Hello.'), says('Hello web.'));
    const first = await startAssistant({ llm, runtime, storage });
    deliveries.step = 'finish';
    await first.chat.receive('a1', 'hi', { id: 'm1' });
    await runtime.advance(1_000);
    deliveries.restart();
    const agent = new LlmAgent({ name: 'companion', model: llm });
    const server = new Runner({ appName, agent, sessionService: storage.sessions, runtime });
    await server.runToCompletion({ userId: 'ada', sessionId: 'ada:chat', newMessage: 'hi' });
    const { chat, settle } = await startAssistant({ llm, runtime, storage });
    await settle();
    expect([...first.chat.texts, ...chat.texts]).toEqual(['Hello.']);
  });

  it('answers a message, and sends its answer, if the store fails after it has stored them (contract 45)', async () => {
    const runtime = new FixedRuntime();
    class FailsAfterwards extends InMemoryDeliveryStore {
      readonly #failed = new Set<string>();
      override receive(...args: Parameters<InMemoryDeliveryStore['receive']>): Promise<boolean> {
        return this.#once('receive', super.receive(...args));
      }
      override put(...args: Parameters<InMemoryDeliveryStore['put']>): Promise<boolean> {
        return this.#once('put', super.put(...args));
      }
      async #once(step: string, stored: Promise<boolean>): Promise<boolean> {
        const isNew = await stored;
        if (this.#failed.has(step)) return isNew;
        this.#failed.add(step);
        throw new TholeError('STORE_OUTCOME_UNKNOWN', 'The connection was closed.');
      }
    }
    const deliveries = new FailsAfterwards();
    const llm = new ScriptedLlm(says('Hello.'));
    const { chat, settle } = await startAssistant({ llm, runtime, storage: { ...newStorage(runtime), deliveries } });
    await expect(chat.receive('a1', 'hi', { id: 'm1' })).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN' });
    for (let i = 0; i < 3; i++) await chat.receive('a1', 'hi', { id: 'm1' });
    // The answer is stored again after a second.
    for (let i = 0; i < 5; i++) await runtime.advance(1_000);
    await settle();
    expect(chat.texts).toEqual(['Hello.']);
    expect(llm.requests).toHaveLength(1);
    expect([await deliveries.unfinished(), await deliveries.pending()]).toEqual([[], []]);
  });

  it('handles a recovered command once if it is delivered again after an error of the store (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const message = { channel: 'chat', sender: 'a1', id: 'm1', text: '/slow' };
    const first = await startAssistant({ llm: new ScriptedLlm(), runtime, storage });
    await storage.deliveries.receive({ key: messageKeyOf(message), userId: 'ada', message, receivedAt: runtime.now() });
    await first.dispatcher.close();

    const release = Promise.withResolvers<void>();
    let count = 0;
    const slow = { name: 'slow', help: 'Waits.', run: async () => (count++, await release.promise, 'done') };
    const llm = new ScriptedLlm();
    const second = await startAssistant({ llm, runtime, storage, options: { commands: [slow] } });
    const { receive } = storage.deliveries;
    storage.deliveries.receive = () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'The database is down.'));
    await expect(second.chat.receive('a1', '/slow', { id: 'm1' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    storage.deliveries.receive = receive;
    await second.chat.receive('a1', '/slow', { id: 'm1' });
    release.resolve();
    await second.settle();
    expect([count, second.chat.texts]).toEqual([1, ['done']]);
  });

  it('stores a message at its second delivery if the store was down at its first one (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const receive = storage.deliveries.receive.bind(storage.deliveries);
    const llm = new ScriptedLlm(says('Hello.'));
    const { chat, settle } = await startAssistant({ llm, runtime, storage });
    storage.deliveries.receive = () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'The database is down.'));
    await expect(chat.receive('a1', 'hi', { id: 'm1' })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    storage.deliveries.receive = receive;
    for (let i = 0; i < 3; i++) await chat.receive('a1', 'hi', { id: 'm1' });
    await settle();
    expect(chat.texts).toEqual(['Hello.']);
    expect(llm.requests).toHaveLength(1);
  });

  it('sends all answers of a run if an answer cannot be stored at first (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const put = storage.deliveries.put.bind(storage.deliveries);
    let count = 0;
    storage.deliveries.put = async (delivery) => {
      if (++count <= 2) throw new TholeError('STORE_UNAVAILABLE', 'The database is down.');
      return put(delivery);
    };
    const subAgents = ['first', 'second'].map((name) => new LlmAgent({ name, model: new ScriptedLlm(says(name)) }));
    const agent = new SequentialAgent({ name: 'both', subAgents });
    const runner = new Runner({ appName, agent, sessionService: storage.sessions, autoCreateSession: true, runtime });
    const options = { createParts: () => ({ runner }) };
    const { chat, settle } = await startAssistant({ llm: new ScriptedLlm(), runtime, storage, options });
    await chat.receive('a1', 'hi');
    for (let i = 0; i < 10; i++) await runtime.advance(1_000);
    await settle();
    expect(chat.texts).toEqual(['first', 'second']);
  });

  it('answers the waiting messages of a sender who was linked before the crash (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const options = { unknownSenders: 'approve' } as const;
    const first = await startAssistant({ llm: new ScriptedLlm(), runtime, storage, options });
    await first.chat.receive('a9', 'hello');
    await first.chat.receive('z9', 'good day');
    await first.dispatcher.close();
    // The first step of `approve`. The process is killed before the second one.
    await storage.identities.link('ada', { channel: 'chat', sender: 'a9' });
    const llm = new ScriptedLlm(says('Hi.'));
    const second = await startAssistant({ llm, runtime, storage, options });
    await second.settle();
    expect(second.chat.accepted).toMatchObject([{ to: 'a9', text: 'Hi.' }]);
    expect(await storage.deliveries.unfinished()).toMatchObject([{ userId: '', message: { sender: 'z9' } }]);
  });

  it('rejects messages after close, so that the channel delivers them again', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    const handler = chat.handler!;
    await dispatcher.close();
    const late = handler.onMessage({ channel: 'chat', sender: 'a1', id: '1', text: 'late' });
    await expect(late).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  });
});
