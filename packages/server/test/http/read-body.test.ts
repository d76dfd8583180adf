import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { demo, message, postInit, session } from '../demo.ts';

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

  it('reads a body without content-length that arrives in parts, also within a character', async () => {
    const { handler, sessions } = await demo({ answers: [says('Hello.')] });
    const bytes = new TextEncoder().encode(
      JSON.stringify({ ...message(), newMessage: { parts: [{ text: 'Grüße 👋' }] } }),
    );
    const body = ReadableStream.from([...bytes].map((byte) => Uint8Array.of(byte)));
    const request = new Request('http://localhost/run', { ...postInit({}), body, duplex: 'half' } as RequestInit);
    expect((await handler(request)).status).toBe(200);
    const { events } = (await sessions.getSession(session))!;
    expect(events[0]!.content!.parts).toEqual([{ text: 'Grüße 👋' }]);
  });

  it('answers 400 for a body that is not UTF-8', async () => {
    const { handler } = await demo();
    const response = await handler(
      new Request('http://localhost/run', { ...postInit({}), body: Uint8Array.of(0x22, 0xff) }),
    );
    expect([response.status, await response.json()]).toEqual([
      400,
      { detail: 'The body must be UTF-8.', code: 'INVALID_INPUT' },
    ]);
  });

  it.each([
    [{ status: 413 }, 413, 'The framework of this server accepts only smaller bodies. Raise its limit.'],
    [{}, 400, 'The body is incomplete.'],
  ])('answers a body that ends with the error %j with %i', async (members, status, detail) => {
    const { handler } = await demo();
    const error = Object.assign(new Error('ended'), members);
    for (const headers of [{}, { 'content-length': '600000' }]) {
      const body = new ReadableStream({ pull: (stream) => stream.error(error) });
      const init = { ...postInit({}, { headers }), body, duplex: 'half' } as RequestInit;
      const response = await handler(new Request('http://localhost/run', init));
      expect([response.status, await response.json()]).toEqual([status, { detail, code: 'INVALID_INPUT' }]);
    }
  });

  it.each([
    ['text/plain', {}],
    ['application/json; charset=iso-8859-1', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('answers 415 for %s with %j, and runs nothing', async (type, headers) => {
    const { run, sessions } = await demo();
    const response = await run('/run', {}, { headers: { 'content-type': type, ...headers } });
    expect([response.status, (await sessions.getSession(session))!.events]).toEqual([415, []]);
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
