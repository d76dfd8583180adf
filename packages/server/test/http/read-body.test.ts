import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { demo, message, postInit } from '../demo.ts';

describe('readBody', () => {
  it('answers 500 with instructions if middleware of the server has read the body', async () => {
    const { handler } = await demo({ answers: [says('Hello.')] });
    const request = new Request('http://localhost/run', postInit(message()));
    const copy = request.clone();
    await request.json();
    const response = await handler(request);
    expect([response.status, await response.json()]).toEqual([
      500,
      { detail: expect.stringContaining('pass it a clone of the request'), code: 'INTERNAL' },
    ]);
    expect((await handler(copy)).status).toBe(200);
  });

  it.each(['2', '40', '4000'])('answers 413 for a large body, also if its content-length is %s', async (length) => {
    const { run } = await demo({ limits: { bodyBytes: 50 } });
    const response = await run('/run', {}, { headers: { 'content-length': length } });
    expect([response.status, await response.json()]).toEqual([
      413,
      { detail: 'The body must have at most 50 bytes.', code: 'INVALID_INPUT' },
    ]);
  });
});
