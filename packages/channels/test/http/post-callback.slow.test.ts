import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postCallback } from '../../src/http/post-callback.ts';

describe('postCallback', () => {
  it.each([
    ['seconds', '9', 9_000],
    ['a date', 'Sun, 01 Jan 2023 00:01:00 GMT', 60_000],
    ['another text', 'soon', undefined],
  ])('reads retry-after as %s', async (_, header, expected) => {
    const headers = { 'retry-after': header, date: 'Sun, 01 Jan 2023 00:00:00 GMT' };
    const server = createServer((_request, response) => void response.writeHead(503, headers).end());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const sending = postCallback({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      secret: 'x'.repeat(32),
      timestamp: Date.parse('2023-01-01') / 1_000,
      body: { id: 'k', to: 'ada', text: 'Hello' },
    });
    const error = (await sending.catch((thrown: unknown) => thrown)) as { code: string; retryAfterMs?: number };
    expect([error.code, error.retryAfterMs]).toEqual(['CHANNEL_UNAVAILABLE', expected]);
  });

  it('does not read a compressed receipt, which can be huge after its decompression', async () => {
    const body = brotliCompressSync(JSON.stringify({ id: 'x'.repeat(50_000_000) }), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    });
    expect(body.length).toBeLessThan(65_536);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'br', 'content-length': body.length };
    const server = createServer((_request, response) => void response.writeHead(200, headers).end(body));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const secret = 'x'.repeat(32);
    expect(await postCallback({ url, secret, timestamp: 1, body: { id: 'k', to: 'ada', text: 'Hello' } })).toEqual({});
  });
});
