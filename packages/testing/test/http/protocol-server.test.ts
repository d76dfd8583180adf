import { describe, expect, it, onTestFinished } from 'vitest';
import { bytesOf, ProtocolServer, serverSentEvents } from '../../src/http/index.ts';
import type { Answering, ServerAnswer } from '../../src/http/index.ts';

async function startServer(answer: ServerAnswer | Answering): Promise<ProtocolServer> {
  const server = await ProtocolServer.start(typeof answer === 'function' ? answer : () => answer);
  onTestFinished(() => server.close());
  return server;
}

describe('ProtocolServer', () => {
  it('keeps requests in order: method, path, headers in lower case, JSON or text', async () => {
    const server = await startServer({ body: '{}' });
    const headers = { 'X-Team': 'hotel' };
    await fetch(`${server.url}/v1/a?b=c`, { method: 'POST', headers, body: '{"n":1}' });
    await fetch(server.url, { method: 'PUT', body: 'no JSON' });
    await fetch(server.url);
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/v1/a?b=c', headers: { 'x-team': 'hotel' }, body: { n: 1 } },
      { method: 'PUT', path: '/', body: 'no JSON' },
      { method: 'GET', path: '/', body: '' },
    ]);
  });

  it('sends status, headers and body; JSON unless a content type is given', async () => {
    const plain = await fetch((await startServer({ body: '{"a":1}' })).url);
    expect([plain.status, plain.headers.get('content-type'), await plain.json()]).toEqual([
      200,
      'application/json',
      { a: 1 },
    ]);
    const answer = { status: 429, headers: { 'content-type': 'text/html', 'retry-after': '2' } };
    const other = await fetch((await startServer(answer)).url);
    expect([
      other.status,
      other.headers.get('content-type'),
      other.headers.get('retry-after'),
      await other.text(),
    ]).toEqual([429, 'text/html', '2', '']);
  });

  it('writes pieces and bytes in order, as they arrive', async () => {
    const server = await startServer({ body: ['Grö', ...bytesOf('ße 🏨', 1)] });
    expect(await (await fetch(server.url)).text()).toBe('Größe 🏨');
    let isFirstRead = false;
    const later = await startServer({
      body: (async function* () {
        yield 'one';
        while (!isFirstRead) await new Promise((resolve) => setTimeout(resolve, 1));
        yield 'two';
      })(),
    });
    const reader = (await fetch(later.url)).body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('one');
    isFirstRead = true;
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('two');
    expect((await reader.read()).done).toBe(true);
  });

  it('breaks the connection after the pieces for the ending cut', async () => {
    const server = await startServer({ body: ['one'], ending: 'cut' });
    const reader = (await fetch(server.url)).body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('one');
    await expect(reader.read()).rejects.toThrow();
    await server.allEnded();
  });

  it('counts open answers, which end when the client disconnects', async () => {
    const server = await startServer({ body: ['one'], ending: 'silence' });
    const abort = new AbortController();
    const response = await fetch(server.url, { signal: abort.signal });
    await response.body!.getReader().read();
    expect(server.open).toBe(1);
    await expect(server.allEnded(20)).rejects.toThrow('1 answers were still open after 20 ms.');
    abort.abort();
    await server.allEnded();
    expect(server.open).toBe(0);
  });

  it('sends nothing for the ending silence without a body', async () => {
    const server = await startServer({ ending: 'silence' });
    const abort = new AbortController();
    const response = fetch(server.url, { signal: abort.signal });
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(server.open).toBe(1);
    abort.abort('enough');
    await expect(response).rejects.toBe('enough');
    await server.allEnded();
  });

  it('answers 500 with the reason if the function throws', async () => {
    const server = await startServer(() => {
      throw new Error('no scenario');
    });
    const response = await fetch(server.url);
    expect([response.status, await response.text()]).toEqual([
      500,
      'The function that answers requests failed: Error: no scenario',
    ]);
  });

  it('closes open connections in close, and stops listening', async () => {
    const server = await startServer({ body: ['one'], ending: 'silence' });
    const { url } = server;
    const response = await fetch(url);
    await server.close();
    await expect(response.text()).rejects.toThrow();
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('serverSentEvents', () => {
  it('returns one text for each event, with LF or CRLF', () => {
    const events = ['[DONE]', { data: { a: 'b\nc' } }, { event: 'delta', data: { n: 1 } }] as const;
    expect(serverSentEvents(events)).toEqual([
      'data: [DONE]\n\n',
      'data: {"a":"b\\nc"}\n\n',
      'event: delta\ndata: {"n":1}\n\n',
    ]);
    expect(serverSentEvents(events.slice(0, 1), '\r\n')).toEqual(['data: [DONE]\r\n\r\n']);
  });
});

describe('bytesOf', () => {
  it('splits the UTF-8 of a text into pieces of a size, also within characters', () => {
    expect(bytesOf('é!', 1).map((bytes) => [...bytes])).toEqual([[0xc3], [0xa9], [0x21]]);
    expect(bytesOf('12345', 2).map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(bytesOf('', 3)).toEqual([]);
  });

  it('rejects a size of 0', () => {
    for (const size of [0, -1, NaN]) expect(() => bytesOf('a', size)).toThrow(RangeError);
  });
});
