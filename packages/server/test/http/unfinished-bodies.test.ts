import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { toNodeListener } from '../../src/node.ts';
import { demo, message, postInit } from '../demo.ts';

interface Setup {
  port: number;
  /** Requests that the server received. */
  received: IncomingMessage[];
}

async function setup(): Promise<Setup> {
  const { handler } = await demo({ limits: { bodyBytes: 10 } });
  const listener = toNodeListener(handler);
  const received: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    received.push(incoming);
    listener(incoming, outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, received };
}

it.each(['content-length: 500\r\n\r\n{"a":', 'transfer-encoding: chunked\r\n\r\nb\r\n{"abcdef":1\r\n'])(
  'releases answered requests whose clients left in the middle of the body: %j',
  async (body) => {
    const { port, received } = await setup();
    const head = 'POST /run HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
    const closed = Array.from({ length: 10 }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.write(head + body);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return answer.toString('latin1').slice(9, 12);
    });
    expect(await Promise.all(closed)).toEqual(Array.from({ length: 10 }, () => '413'));
    await vi.waitFor(() => expect(received.filter((incoming) => incoming.closed)).toHaveLength(10));
  },
);

it('leaves no listener on a connection that is used again after a body over the limit', async () => {
  const { port, received } = await setup();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const { body, headers } = postInit(message({ newMessage: { role: 'user', parts: [{ text: 'x'.repeat(100_000) }] } }));
  const listenerCounts: number[] = [];
  let socket: Socket | undefined;
  for (let i = 0; i < 5; i++) {
    const outgoing = request({ port, path: '/run', method: 'POST', agent, headers: headers as Record<string, string> });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'close');
    await vi.waitFor(() => expect(received.at(-1)!.closed).toBe(true));
    socket ??= received[0]!.socket;
    listenerCounts.push(socket.listenerCount('close'));
  }
  expect(new Set(received.map((incoming) => incoming.socket)).size).toBe(1);
  expect(new Set(listenerCounts).size).toBe(1);
});
