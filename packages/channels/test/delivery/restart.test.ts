import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { InMemoryDeliveryStore } from '../../src/index.ts';
import type { DeliveryEnd } from '../../src/index.ts';
import { newStorage, startAssistant } from '../support/assistant.ts';
import { LocalChannel } from '../support/local-channel.ts';

/** A store whose process dies at one step: from then on no write happens. */
class DiesAt extends InMemoryDeliveryStore {
  step: 'begin' | 'finish' | 'settle' | undefined;
  isDead = false;

  override async begin(keys: readonly string[], batch: { id: string }): Promise<void> {
    return this.#unlessDead('begin', () => super.begin(keys, batch));
  }
  override async finish(keys: readonly string[], at: number): Promise<void> {
    return this.#unlessDead('finish', () => super.finish(keys, at));
  }
  override async settle(key: string, end: DeliveryEnd): Promise<void> {
    return this.#unlessDead('settle', () => super.settle(key, end));
  }

  async #unlessDead<T>(step: DiesAt['step'], work: () => Promise<T>): Promise<T> {
    this.isDead ||= this.step === step;
    return this.isDead ? new Promise<T>(() => {}) : work();
  }
  revive(): void {
    this.step = undefined;
    this.isDead = false;
  }
}

describe('a process that is killed', () => {
  for (const step of ['begin', 'finish', 'settle'] as const) {
    it(`before the step ${step} answers the message once after the next start (contract 45)`, async () => {
      const runtime = new FixedRuntime();
      const deliveries = new DiesAt();
      const storage = { ...newStorage(runtime), deliveries };
      const llm = new ScriptedLlm(says('Hello.'));
      const channel = new LocalChannel();
      const first = await startAssistant({ llm, runtime, storage, channels: [channel] });
      deliveries.step = step;
      await channel.hear('a1', 'hi', { id: 'm1' });
      await runtime.advance(1_000);
      const handler = channel.handler!;
      deliveries.revive();

      const next = new LocalChannel();
      const second = await startAssistant({ llm, runtime, storage, channels: [next] });
      await second.settle();
      // The channel delivers the message again, because it may not have seen the acknowledgement.
      await next.hear('a1', 'hi', { id: 'm1' });
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

  it('does not treat the answer to a question as a new message after a restart (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const deliveries = new DiesAt();
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
    await first.chat.hear('a1', 'pay');
    await first.settle();
    deliveries.step = 'finish';
    await first.chat.hear('a1', 'yes');
    await runtime.advance(1_000);
    deliveries.revive();
    const second = await startAssistant({ llm, runtime, storage, tools: [pay] });
    await second.settle();
    expect([...first.chat.texts.slice(1), ...second.chat.texts]).toEqual(['Paid.']);
    expect([paid.length, llm.requests.length]).toEqual([1, 2]);
    expect(await deliveries.unfinished()).toEqual([]);
  });

  it('does not accept messages while it is closing, so that the channel delivers them again', async () => {
    const runtime = new FixedRuntime();
    const { chat, dispatcher } = await startAssistant({ llm: new ScriptedLlm(), runtime });
    const handler = chat.handler!;
    await dispatcher.close();
    const late = handler.onMessage({ channel: 'chat', sender: 'a1', id: '1', text: 'late' });
    await expect(late).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  });
});
