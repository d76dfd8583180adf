import { beforeEach, expect, it } from 'vitest';

/**
 * Registers tests of `parrotHandler` in any server. `url` returns the server's address without `/api`, or skips the test if there is
 * no server.
 */
export function mountCases(url: (skip: (reason: string) => never) => string): void {
  let server = '';
  beforeEach(({ skip }) => void (server = url(skip)));
  const base = (): string => `${server}/api`;
  const sessions = (): string => `${base()}/apps/cage/users/ann/sessions`;
  const post = (path: string, body: object, init: RequestInit = {}): Promise<Response> =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...init,
    });
  const say = (sessionId: string, text: string, init?: RequestInit): Promise<Response> => {
    const newMessage = { role: 'user', parts: [{ text }] };
    return post(`${base()}/run_sse`, { userId: 'ann', sessionId, newMessage, streaming: true }, init);
  };
  const read = async (path: string): Promise<unknown[]> => {
    const response = await fetch(path);
    return [response.status, await response.json()];
  };

  it('serves sessions and errors with every method, and decodes names', async () => {
    const created = await post(sessions(), { sessionId: 'a/b' });
    expect([created.status, await created.json()]).toMatchObject([200, { id: 'a/b', userId: 'ann' }]);
    const one = `${sessions()}/a%2Fb`;
    const headers = { 'content-type': 'application/json' };
    const patched = await fetch(one, { method: 'PATCH', headers, body: '{"stateDelta":{"room":7}}' });
    expect(await patched.json()).toMatchObject({ state: { room: 7 } });
    expect(await read(one)).toMatchObject([200, { state: { room: 7 } }]);
    expect((await fetch(one, { method: 'DELETE' })).status).toBe(204);
    expect(await read(one)).toMatchObject([404, { code: 'SESSION_NOT_FOUND' }]);
    expect(await read(`${base()}/nowhere`)).toEqual([404, { detail: 'There is no such route.', code: 'NOT_FOUND' }]);
    const wrong = await fetch(one, { method: 'PATCH', headers, body: '{"stateDelta":' });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { detail: 'The body must be JSON.' }]);
  });

  it('streams each piece of a run at once', async () => {
    await post(sessions(), { sessionId: 'slow' });
    await post(sessions(), { sessionId: 'other' });
    const response = await say('slow', 'slowly');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const chunks = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    let text = '';
    while (!text.includes('Good ')) text += (await chunks.next()).value;
    expect(text).not.toContain('evening.');
    await (await say('other', 'go on')).text();
    for (let step = await chunks.next(); !step.done; step = await chunks.next()) text += step.value;
    expect(text).toMatch(/"text":"evening\."[^]+id: 2\ndata: .+"text":"Good evening\."[^]+\n: done\n\n$/);
  });

  it('ends a run whose client disconnects', async () => {
    await post(sessions(), { sessionId: 'left' });
    const client = new AbortController();
    const answered = say('left', 'hang', { signal: client.signal });
    const events = async (): Promise<{ errorCode?: string }[]> => {
      const [, session] = await read(`${sessions()}/left`);
      return (session as { events: { errorCode?: string }[] }).events;
    };
    await expect.poll(async () => (await events()).length, { timeout: 10_000 }).toBe(1);
    client.abort();
    await expect(answered.then((response) => response.text())).rejects.toThrow('abort');
    await expect
      .poll(async () => (await events()).at(-1)!.errorCode, { timeout: 10_000 })
      .toMatch(/^RUN_(LEFT|ABORTED)$/);
  });
}
