import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { InMemoryDeliveryStore } from '../../src/index.ts';
import type { DeliveryEnd } from '../../src/index.ts';
import { newStorage, startAssistant } from '../support/assistant.ts';
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

  it('rejects messages after close, so that the channel delivers them again', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    const handler = chat.handler!;
    await dispatcher.close();
    const late = handler.onMessage({ channel: 'chat', sender: 'a1', id: '1', text: 'late' });
    await expect(late).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  });
});
