import { FixedRuntime, register, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { HttpChannel } from '../../src/http/index.ts';
import { channelCases } from '../../src/testing/index.ts';
import { startAssistant } from '../support/assistant.ts';
import { pollingPeer, secret, signed } from './http-peer.ts';

register({ describe, it }, channelCases, {
  name: 'HttpChannel with polls',
  claims: ['ids', 'keys', 'hostile'],
  create: () => pollingPeer(),
  destroy: (peer) => peer.close(),
});

describe('HttpChannel', () => {
  it('handles a replayed request once, and rejects it when it is old (contract 45)', async () => {
    const runtime = new FixedRuntime({ now: 1_700_000_000 });
    const channel = new HttpChannel({ secrets: [secret], runtime });
    const { dispatcher, storage } = await startAssistant({
      llm: new ScriptedLlm(says('Hello.')),
      runtime,
      options: { channels: [channel] },
    });
    await storage.identities.link('ada', { channel: 'http', sender: 'ada' });
    const body = JSON.stringify({ id: '1', sender: 'ada', text: 'hi' });
    const send = () => channel.handle(signed({ method: 'POST', body, timestamp: 1_700_000_000 }));
    expect((await send()).status).toBe(202);
    expect((await send()).status).toBe(202);
    await runtime.advance(1_000);
    await dispatcher.idle();
    expect(await storage.deliveries.pending()).toHaveLength(1);
    await runtime.advance(600_000);
    const late = await send();
    expect(late.status).toBe(401);
    expect(await late.json()).toMatchObject({ detail: expect.stringContaining('Compare the clocks') });
  });

  it('returns a message to each poll until it is acknowledged (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const channel = new HttpChannel({ secrets: [secret], runtime });
    const { dispatcher, storage } = await startAssistant({
      llm: new ScriptedLlm(),
      runtime,
      options: { channels: [channel], sendTimeoutMs: 10_000 },
    });
    await storage.identities.link('ada', { channel: 'http', sender: 'ada' });
    const poll = async (query: string): Promise<unknown> => {
      const url = `http://bot.example/messages?to=ada&wait=20${query}`;
      const response = channel.handle(signed({ method: 'GET', url, timestamp: runtime.now() }));
      await runtime.advance(100);
      const polled = await Promise.race([response, runtime.advance(20_000).then(() => response)]);
      return ((await polled.json()) as { messages: unknown[] }).messages;
    };
    for (const key of ['k1', 'k2'])
      await dispatcher.send({ userId: 'ada', channel: 'http', message: key, idempotencyKey: key });
    expect(await poll('')).toEqual([{ id: 'k1', text: 'k1' }]);
    // The client does not acknowledge the message, for example after a crash.
    await runtime.advance(20_000);
    expect(await poll('')).toEqual([{ id: 'k1', text: 'k1' }]);
    expect(await poll('&ack=k1')).toEqual([{ id: 'k2', text: 'k2' }]);
    expect(await poll('&ack=k2')).toEqual([]);
    expect(await storage.deliveries.pending()).toEqual([]);
    expect(await storage.deliveries.status('k1')).toMatchObject({ status: 'sent' });
  });

  it('rejects wrong options', () => {
    const secrets = ['x'.repeat(32)];
    expect(() => new HttpChannel({ secrets: [] })).toThrowError(/secrets/);
    expect(() => new HttpChannel({ secrets: ['short'] })).toThrowError(/32 characters/);
    expect(() => new HttpChannel({ secrets, callbackUrl: 'file:///etc/passwd' })).toThrowError(/callbackUrl/);
    expect(() => new HttpChannel({ secrets, ports: 1 } as never)).toThrowError(/ports/);
  });
});
