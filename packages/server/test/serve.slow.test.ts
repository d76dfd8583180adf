import { request } from 'node:http';
import { Server } from 'node:net';
import { FixedRuntime, ignores, says } from '@thole/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { bearerToken } from '../src/index.ts';
import { serve } from '../src/node.ts';
import type { RunningServer, ServeOptions } from '../src/node.ts';
import { demo, neverAnswers, message, postInit } from './demo.ts';
import { allFrames, describeFrame } from './frames.ts';
import { rawRequest, readAnswer, sendAllThenRead } from './raw-request.ts';

async function startServer(p: Parameters<typeof demo>[0] = {}, options: ServeOptions = {}): Promise<RunningServer> {
  const { handler } = await demo(p);
  const server = await serve(handler, { port: 0, ...options });
  onTestFinished(() => server.close({ timeoutMs: 0 }));
  return server;
}

describe('serve', () => {
  it('listens on loopback by default, and on a free port for port 0', async () => {
    const { url } = await startServer();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d{4,5}$/);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('rejects other hosts without authorize, unless it is explicitly allowed (contract 39)', async () => {
    await expect(startServer({}, { host: '0.0.0.0' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await startServer({}, { host: '0.0.0.0', dangerouslyAllowUnauthenticated: true });
    await startServer({ authorize: bearerToken('secret') }, { host: '0.0.0.0' });
  });

  it('rejects a port that is in use or invalid with INVALID_INPUT', async () => {
    const { url } = await startServer();
    const port = Number(new URL(url).port);
    await expect(startServer({}, { port })).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${port}: EADDRINUSE. Choose another port.`,
    );
    await expect(startServer({}, { port: -1 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('advises another port if the system reserves the port, as Windows does', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
      queueMicrotask(() => this.emit('error', Object.assign(new Error('listen'), { code: 'EACCES' })));
      return this;
    });
    onTestFinished(() => listen.mockRestore());
    await expect(startServer({}, { port: 8000 })).rejects.toThrow(
      'Cannot listen on 127.0.0.1:8000: EACCES. Choose another port.',
    );
  });
});

describe('serve on loopback', () => {
  it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example'])(
    'rejects requests with Host %s (contract 39)',
    async (host) => {
      const { url } = await startServer();
      expect(await statusWith(url, host)).toBe(403);
    },
  );

  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1:9', '[::1]:8000', 'box.local'])(
    'answers requests with Host %s',
    async (host) => {
      const { url } = await startServer({}, { allowedHosts: ['box.local'] });
      expect(await statusWith(url, host)).toBe(200);
    },
  );
});

describe('serve on all addresses without authorize', () => {
  it.each([
    ['evil.example', undefined, 403],
    ['127.0.0.1:9', undefined, 200],
    ['box.local', ['box.local'], 200],
  ])(
    'answers a client on this machine with Host %s and allowedHosts %j: %i (contract 39)',
    async (host, allowedHosts, status) => {
      const { url } = await startServer({ allowedHosts }, { host: '0.0.0.0', dangerouslyAllowUnauthenticated: true });
      expect(await statusWith(url.replace('0.0.0.0', '127.0.0.1'), host)).toBe(status);
    },
  );
});

describe('serve with invalid HTTP', () => {
  it.each([
    ['nonsense', 400, 'hello\r\n\r\n'],
    ['two lengths', 400, head('content-length: 5\r\ncontent-length: 6', 'hello')],
    ['a length and chunks', 400, head('content-length: 5\r\ntransfer-encoding: chunked', '0\r\n\r\n')],
    ['a length that is not a number', 400, head('content-length: 5x', 'hello')],
    ['a negative length', 400, head('content-length: -5', 'hello')],
    ['a broken chunk', 400, head('transfer-encoding: chunked', 'zz\r\n')],
    ['another encoding after chunks', 400, head('transfer-encoding: chunked, identity', '0\r\n\r\n')],
    ['a folded header', 400, head('x-a: 1\r\n b', '')],
    ['a header without a name', 400, head(': 1', '')],
    ['no host', 400, 'GET /health HTTP/1.1\r\n\r\n'],
    ['an invalid host', 400, 'GET /health HTTP/1.1\r\nhost: a b\r\n\r\n'],
    ['a backslash in the path', 400, 'GET /a\\b HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['a header bomb', 431, head(`x-bomb: ${'a'.repeat(64 * 1024)}`, '')],
    ['very many headers', 431, head(Array.from({ length: 5_000 }, (_, i) => `x-${i}: 1`).join('\r\n'), '')],
  ])('answers with JSON: %s, %i', async (_, status, text) => {
    const { url } = await startServer();
    const answer = readAnswer(await rawRequest(url, text));
    expect(answer).toEqual({ status, body: { detail: expect.any(String) as string, code: 'INVALID_INPUT' } });
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('names the limit in the answer to headers that are too large', async () => {
    const { url } = await startServer();
    const { body } = readAnswer(await rawRequest(url, head(`x-bomb: ${'a'.repeat(64 * 1024)}`, '')));
    expect(body.detail).toBe('The address and the headers must have at most 32768 bytes together.');
  });

  it('answers a body that does not arrive in time with 408', async () => {
    const { url } = await startServer({ limits: { bodyMs: 100 } });
    const texts = [head('content-length: 50', '{"a'), head('transfer-encoding: chunked', '3\r\n{"a\r\n')];
    const answers = await Promise.all(texts.map((text) => rawRequest(url, text)));
    expect(answers.map((answer) => readAnswer(answer).status)).toEqual([408, 408]);
  });
});

describe('serve with a body over the limit', () => {
  const body = 'x'.repeat(100_000_000);

  it.each(['content-length: 100000000', 'transfer-encoding: chunked'])(
    'answers 413 to a client that reads after it has sent everything, with %s',
    async (length) => {
      const { url } = await startServer({ limits: { bodyBytes: 1_000 } });
      const whole = length.startsWith('t') ? `5f5e100\r\n${body}\r\n0\r\n\r\n` : body;
      const { answer, error } = await sendAllThenRead(url, head(length, whole));
      expect([readAnswer(answer).status, error]).toEqual([413, undefined]);
    },
    30_000,
  );
});

describe('serve with HTTP/1.0', () => {
  it('answers requests without a Host', async () => {
    const { url } = await startServer();
    expect(readAnswer(await rawRequest(url, 'GET /health HTTP/1.0\r\n\r\n')).status).toBe(200);
    expect(readAnswer(await rawRequest(url, 'GET /health HTTP/1.0\r\nhost: evil.example\r\n\r\n')).status).toBe(403);
  });
});

describe('serve with invalid data after a request', () => {
  it('does not send an error inside a stream', async () => {
    const { url } = await startServer({ answers: [ignores()] });
    const body = JSON.stringify(message());
    const run = `POST /run_sse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const answer = await rawRequest(url, run, 2_000, 'nonsense\r\n\r\n');
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('serve with a client that disconnects', () => {
  it('aborts the run and its model call at once (contract 40)', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    // The time of the handler does not pass, so that no timer can notice the disconnection.
    const { url } = await startServer({ answers: [neverAnswers(called)], runtime: new FixedRuntime() });
    const outgoing = request(`${url}/run_sse`, { method: 'POST', headers: { 'content-type': 'application/json' } });
    outgoing.on('error', () => {});
    outgoing.end(JSON.stringify(message()));
    const signal = await called.promise;
    outgoing.destroy();
    await expect.poll(() => signal.aborted).toBe(true);
  });
});

describe('RunningServer.close', () => {
  it('answers 503 at /health while it drains, waits for runs, then stops listening', async () => {
    const answered = Promise.withResolvers<ReturnType<typeof says>>();
    const called = Promise.withResolvers<void>();
    const runtime = new FixedRuntime();
    const answers = [says('First.'), () => (called.resolve(), answered.promise)];
    const server = await startServer({ answers, runtime });
    const slow = fetch(`${server.url}/run`, postInit(message())).then(async (first) => {
      await first.text();
      return fetch(`${server.url}/run`, postInit(message()));
    });
    await called.promise;
    const closed = server.close({ drainMs: 300 });
    expect((await fetch(`${server.url}/health`)).status).toBe(503);
    expect((await fetch(`${server.url}/list-apps`)).status).toBe(200);
    await runtime.advance(300);
    await expect.poll(() => fetch(`${server.url}/health`).catch(() => 'refused')).toBe('refused');
    answered.resolve(says('Good evening.'));
    expect((await slow).status).toBe(200);
    await closed;
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed');
  });

  it('aborts runs after the timeout and sends an error frame', async () => {
    const server = await startServer({ answers: [ignores()] });
    const response = await fetch(`${server.url}/run_sse`, postInit(message()));
    const frames = allFrames(response);
    await server.close({ timeoutMs: 50 });
    expect((await frames).map(describeFrame)).toEqual(['#2 RUN_ABORTED', '! RUN_ABORTED']);
  });
});

function head(lines: string, body: string): string {
  const fixed = 'host: localhost\r\ncontent-type: application/json\r\n';
  return `POST /run HTTP/1.1\r\n${fixed}${lines}\r\n\r\n${body}`;
}

function statusWith(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${url}/health`, { headers: { host } }, (response) => resolve(response.resume().statusCode!))
      .on('error', reject)
      .end();
  });
}
