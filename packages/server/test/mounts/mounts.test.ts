import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { serve as serveHono } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mountCases } from '../../../../test/mounts/mount-cases.ts';
import { parrotHandler } from '../../../../test/mounts/parrot-handler.ts';
import type { Handler } from '../../src/index.ts';
import { serve, toNodeListener } from '../../src/node.ts';
import { mountHandler } from './mount-fastify.ts';
import { toHonoApp } from './mount-hono.ts';

interface MountedServer {
  url: string;
  close(): void | Promise<void>;
}

const mounts: { name: string; mount(handler: Handler): Promise<MountedServer> }[] = [
  { name: 'serve', mount: (handler) => serve(handler, { port: 0 }) },
  { name: 'Node’s http', mount: (handler) => startListener(toNodeListener(handler)) },
  {
    name: 'Express',
    mount(handler) {
      const app = express();
      app.all('/api/*path', toNodeListener(handler));
      app.use(express.json());
      return startListener(app);
    },
  },
  {
    name: 'Fastify',
    async mount(handler) {
      const app = fastify();
      await mountHandler(app, handler);
      return { url: await app.listen({ port: 0 }), close: () => app.close() };
    },
  },
  {
    name: 'Hono',
    mount: (handler) =>
      new Promise((resolve) => {
        const server = serveHono({ fetch: toHonoApp(handler).fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
          resolve({ url: `http://127.0.0.1:${port}`, close: () => void server.close() }),
        );
      }),
  },
];

describe.each(mounts)('createHandler mounted in $name', ({ mount }) => {
  const handler = parrotHandler();
  let server: MountedServer;
  beforeAll(async () => void (server = await mount(handler)));
  afterAll(async () => {
    await server.close();
    await handler.close({ timeoutMs: 0 });
  });
  mountCases(() => server.url);
});

describe('toNodeListener', () => {
  it('answers 500 if a body parser has read the request', async () => {
    const app = express();
    app.use(express.json());
    app.all('/api/*path', toNodeListener(parrotHandler()));
    const { url, close } = await startListener(app);
    onTestFinished(close);
    const response = await fetch(`${url}/api/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect([response.status, await response.json()]).toEqual([
      500,
      { detail: 'A body parser has read the request: mount the handler before the body parser.', code: 'INTERNAL' },
    ]);
    expect((await fetch(`${url}/api/list-apps`)).status).toBe(200);
  });

  it('returns a promise that resolves when the response has ended', async () => {
    const listener: (...exchange: Parameters<RequestListener>) => unknown = toNodeListener(parrotHandler());
    const ended: boolean[] = [];
    const { url, close } = await startListener((request, response) => {
      void Promise.resolve(listener(request, response)).then(() => ended.push(response.writableEnded));
    });
    onTestFinished(close);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    await fetch(`${url}/api/apps/cage/users/ann/sessions`, { ...init, body: '{"sessionId":"s"}' });
    const body = JSON.stringify({ userId: 'ann', sessionId: 's', newMessage: { parts: [{ text: 'hello' }] } });
    expect(await (await fetch(`${url}/api/run_sse`, { ...init, body })).text()).toContain(': done');
    await expect.poll(() => ended).toEqual([true, true]);
  });

  it('serves HTTP/2', async () => {
    const server = createHttp2Server(toNodeListener(parrotHandler()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      client.destroy();
      server.close();
    });
    expect(await text(client.request({ ':path': '/api/list-apps' }))).toBe('["cage"]');
    const path = '/api/apps/cage/users/ann/sessions';
    const post = client.request({ ':path': path, ':method': 'POST', 'content-type': 'application/json' });
    post.end('{"sessionId":"s"}');
    expect(JSON.parse(await text(post))).toMatchObject({ id: 's', userId: 'ann' });
  });

  it('is mounted in the tests as in the README', () => {
    const read = (...path: string[]): string => readFileSync(join(import.meta.dirname, ...path), 'utf8');
    const readme = read('..', '..', 'README.md');
    for (const file of ['mount-fastify.ts', 'mount-hono.ts']) expect(readme).toContain(read(file));
    const line = "app.all('/api/*path', toNodeListener(handler));";
    expect(readme).toContain(line);
    expect(read('mounts.test.ts')).toContain(`      ${line}`);
  });
});

async function startListener(listener: RequestListener): Promise<MountedServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
