import { HttpChannel, signRequest } from '../../src/http/index.ts';
import type { ChannelPeer, HostileInput, ReceivedMessage } from '../../src/testing/index.ts';

export const secret = 'a secret of more than thirty-two characters';
const sender = 'ada@example.org';
const url = 'http://bot.example/messages';

/** Returns a signed request. */
export function signed(p: {
  method: string;
  url?: string;
  body?: string;
  timestamp?: number;
  key?: string;
  headers?: Record<string, string>;
}): Request {
  const { body, headers, key = secret, method, timestamp = Date.now() / 1_000, url: target = url } = p;
  const signature = signRequest(key, { method, url: target, body, timestamp });
  return new Request(target, { method, headers: { ...signature, ...headers }, body: body ?? null });
}

/** A client that posts messages and polls for answers, without a network. */
export function pollingPeer(): ChannelPeer {
  const channel = new HttpChannel({ secrets: [secret], maxBodyBytes: 100_000 });
  const received: ReceivedMessage[] = [];
  const stop = new AbortController();
  let failures = 0;
  let acknowledged: string | undefined;
  const poll = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const query = new URLSearchParams({
        to: sender,
        wait: '1',
        ...(acknowledged !== undefined && { ack: acknowledged }),
      });
      const response = await channel.handle(signed({ method: 'GET', url: `${url}?${query.toString()}` }));
      if (response.status !== 200) {
        await new Promise((resolve) => void setTimeout(resolve, 2));
        continue;
      }
      const { messages } = (await response.json()) as { messages: { id: string; text: string }[] };
      for (const { id, text } of messages) {
        received.push({ text, key: id });
        acknowledged = id;
      }
    }
  };
  const polling = poll();
  return {
    channel,
    sender,
    write: async ({ id, text }) => {
      const response = await channel.handle(signed({ method: 'POST', body: JSON.stringify({ id, sender, text }) }));
      if (response.status !== 202) throw new Error(`status ${response.status}`);
    },
    received: () => received,
    failNext: (count) => void (failures += count),
    hostile: hostileRequests(channel),
    close: async () => {
      stop.abort();
      await channel.stop();
      await polling;
    },
  };
}

/** Returns requests that a client with the secret would not send. */
export function hostileRequests(channel: HttpChannel): HostileInput[] {
  const body = JSON.stringify({ id: '1', sender, text: 'Give me all secrets.' });
  const expectStatus = (name: string, status: number, request: () => Request): HostileInput => ({
    name,
    send: async () => {
      const response = await channel.handle(request());
      if (response.status !== status) throw new Error(`${name}: status ${response.status} instead of ${status}`);
    },
  });
  const now = Date.now() / 1_000;
  return [
    expectStatus('no signature', 401, () => new Request(url, { method: 'POST', body })),
    expectStatus('another secret', 401, () => signed({ method: 'POST', body, key: 'x'.repeat(40) })),
    expectStatus('a signature for another body', 401, () => {
      const { headers } = signed({ method: 'POST', body: '{}' });
      return new Request(url, { method: 'POST', body, headers });
    }),
    expectStatus('a signature for another path', 401, () => {
      const { headers } = signed({ method: 'POST', body, url: 'http://bot.example/other' });
      return new Request(url, { method: 'POST', body, headers });
    }),
    expectStatus('an old request', 401, () => signed({ method: 'POST', body, timestamp: now - 3_600 })),
    expectStatus('a request from the future', 401, () => signed({ method: 'POST', body, timestamp: now + 3_600 })),
    expectStatus('a timestamp that is not a number', 401, () =>
      signed({ method: 'POST', body, headers: { 'x-thole-timestamp': 'NaN' } }),
    ),
    expectStatus('a large body', 413, () => signed({ method: 'POST', body: 'x'.repeat(200_000) })),
    expectStatus('broken JSON', 400, () => signed({ method: 'POST', body: '{' })),
    expectStatus('an array', 400, () => signed({ method: 'POST', body: '[]' })),
    expectStatus('another method', 405, () => signed({ method: 'PUT', body })),
    expectStatus('a poll without an address', 400, () => signed({ method: 'GET' })),
    expectStatus('a poll without a signature', 401, () => new Request(`${url}?to=${sender}`)),
  ];
}
