import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { register } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpChannel } from '../../src/http/index.ts';
import { isSignedBy } from '../../src/http/signature.ts';
import { channelCases } from '../../src/testing/index.ts';
import type { ChannelPeer, ReceivedMessage } from '../../src/testing/index.ts';
import { hostileRequests, secret, signed } from './http-peer.ts';

/** A service with a callback. Requests in both directions use real sockets. */
async function callbackPeer(): Promise<ChannelPeer> {
  const received: ReceivedMessage[] = [];
  let failures = 0;
  let rejections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const timestamp = Number(request.headers['x-thole-timestamp']);
      const target = { method: 'POST', url: request.url!, body, timestamp };
      const header = String(request.headers['x-thole-signature']);
      if (!isSignedBy([secret], target, header)) return response.writeHead(401).end();
      if (failures > 0) {
        failures--;
        return response.writeHead(503).end('busy');
      }
      if (rejections > 0) {
        rejections--;
        return response.writeHead(422).end();
      }
      const { text, to } = JSON.parse(String(body)) as { text: string; to: string };
      if (to === 'ada') received.push({ text, key: String(request.headers['idempotency-key']) });
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"their-id"}');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback?x=1`;
  const channel = new HttpChannel({
    secrets: ['y'.repeat(32), secret].reverse(),
    callbackUrl,
    port: 0,
    maxBodyBytes: 100_000,
  });
  return {
    channel,
    sender: 'ada',
    write: async ({ id, text }) => {
      const url = `http://127.0.0.1:${channel.port}/messages`;
      const response = await fetch(signed({ method: 'POST', url, body: JSON.stringify({ id, sender: 'ada', text }) }));
      if (response.status !== 202) throw new Error(`status ${response.status}`);
    },
    received: () => received,
    failNext: (count) => void (failures += count),
    rejectNext: () => void rejections++,
    hostile: hostileRequests(channel).filter(({ name }) => !name.startsWith('a poll without an address')),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

register({ describe, it }, channelCases, {
  name: 'HttpChannel with a callback',
  claims: ['ids', 'fails', 'rejects', 'keys', 'hostile'],
  create: () => callbackPeer(),
  destroy: (peer) => peer.close(),
});

describe('HttpChannel on a port', () => {
  async function start(): Promise<HttpChannel> {
    const channel = new HttpChannel({ secrets: [secret], port: 0, maxBodyBytes: 1_000 });
    await channel.start({ onMessage: async () => {}, onReport: async () => {}, onReady: () => {} });
    onTestFinished(() => channel.stop());
    return channel;
  }

  it('rejects a body that is too large without reading all of it', async () => {
    const channel = await start();
    const socket = connect(channel.port!, '127.0.0.1');
    socket.on('error', () => {});
    const timestamp = Math.floor(Date.now() / 1_000);
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\nx-thole-timestamp: ${timestamp}\r\ntransfer-encoding: chunked\r\n\r\n`);
    socket.write(`800\r\n${'x'.repeat(2_048)}\r\n`);
    let answer = '';
    socket.on('data', (data) => (answer += String(data)));
    await new Promise((resolve) => void socket.once('close', resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('rejects start with CHANNEL_UNAVAILABLE if the port is in use', async () => {
    const { port } = await start();
    const other = new HttpChannel({ secrets: [secret], port });
    const starting = other.start({ onMessage: async () => {}, onReport: async () => {}, onReady: () => {} });
    await expect(starting).rejects.toMatchObject({ code: 'CHANNEL_UNAVAILABLE' });
  });
});
