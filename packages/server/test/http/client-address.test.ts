import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InMemoryArtifactService } from '@thole/mem-services';
import { says } from '@thole/testing';
import { bearerToken } from '../../src/index.ts';
import type { HandlerOptions } from '../../src/index.ts';
import { toNodeListener } from '../../src/node.ts';
import { demo, sessionPath } from '../demo.ts';
import { rawRequest, readAnswer } from '../raw-request.ts';

async function statusOf(host: string, options: Partial<HandlerOptions> = {}): Promise<number> {
  const { handler } = await demo(options);
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const request = `GET /list-apps HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer secret\r\nconnection: close\r\n\r\n`;
  return readAnswer(await rawRequest(url, request)).status;
}

describe('createHandler behind toNodeListener on loopback', () => {
  it('rejects a foreign Host without authorize and allowedHosts (contract 39)', async () => {
    expect(await statusOf('evil.example')).toBe(403);
    expect(await statusOf('localhost:8000')).toBe(200);
  });

  it('accepts a foreign Host with authorize, and the hosts in allowedHosts', async () => {
    expect(await statusOf('box.example', { authorize: bearerToken('secret') })).toBe(200);
    expect(await statusOf('box.example', { allowedHosts: ['box.example'] })).toBe(200);
  });
});

describe('createHandler', () => {
  it.each([
    ['127.0.0.1', 403],
    ['::1', 403],
    ['::ffff:127.0.0.1', 403],
    ['10.0.0.7', 200],
    [undefined, 200],
  ])('answers a client at %s with a foreign Host with %i', async (address, status) => {
    const { handler } = await demo();
    const response = await handler(new Request('http://evil.example/list-apps'), { address });
    expect(response.status).toBe(status);
  });

  it('sets x-content-type-options: nosniff, also on errors and on a hook’s Response', async () => {
    const { get, run } = await demo();
    const gone = await demo({ authorize: () => Response.redirect('http://localhost/login') });
    const answers = [await get('/list-apps'), await get('/nowhere'), await run('/run'), await run('/run_sse')];
    for (const { headers } of [...answers, await gone.get('/list-apps')])
      expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('keeps caches from storing private data, also a name such as report.pdf', async () => {
    const artifactService = new InMemoryArtifactService();
    const { get, post } = await demo({ artifactService });
    const artifact = { inlineData: { mimeType: 'application/pdf', data: 'JVBERg==' } };
    await post(`${sessionPath}/artifacts`, { filename: 'report.pdf', artifact });
    const artifacts = `${sessionPath}/artifacts`;
    for (const path of [sessionPath, `${artifacts}/report.pdf`, `${artifacts}/none.pdf`, '/list-apps'])
      expect((await get(path)).headers.get('cache-control')).toBe('no-store');
    const hook = await demo({
      authorize: () => new Response('Later', { status: 503, headers: { 'cache-control': 'max-age=5' } }),
    });
    expect((await hook.get('/list-apps')).headers.get('cache-control')).toBe('max-age=5');
  });

  it.each(['/run', '/run_sse'] as const)(
    'sets nosniff once on the events of %s, with and without CORS',
    async (path) => {
      for (const options of [{}, { cors: { origins: ['*'] } }, { onDisconnect: 'continue' as const }]) {
        const { run } = await demo({ answers: [says('Hello')], ...options });
        const { headers, status } = await run(path);
        expect([status, headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
      }
    },
  );
});
