import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { HandlerOptions, Identity } from '../../src/index.ts';
import { demo } from '../demo.ts';
import type { Demo } from '../demo.ts';

const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
const paths = ['/ui/demo/chat/c/stream', '/ui/demo/chat/c/messages'];

async function usersOf({ sessions }: Demo): Promise<string[]> {
  const { sessions: stored } = await sessions.listSessions({ appName: 'demo' });
  return stored.filter(({ id }) => id === 'c').map(({ userId }) => userId);
}

async function chat(served: Demo, p: { query?: string; userId?: string; headers?: object } = {}): Promise<number> {
  const { query = '', userId, headers = {} } = p;
  const response = await served.post(
    `/ui/demo/chat${query}`,
    { id: 'c', messages: [message], ...(userId !== undefined && { userId }) },
    { headers: headers as Record<string, string> },
  );
  await response.text();
  return response.status;
}

describe('the user of /ui/{app}/chat', () => {
  it.each<[string, Parameters<typeof chat>[1], string]>([
    ['the user in ?userId=', { query: '?userId=ada' }, 'ada'],
    ['the user in the header x-user-id', { headers: { 'x-user-id': 'eve' } }, 'eve'],
    ['the user in the body', { userId: 'bob' }, 'bob'],
    ['"user" by default', {}, 'user'],
  ])('is %s without authorize', async (_, p, expected) => {
    const served = await demo({ answers: [says('Hello.')] });
    expect(await chat(served, p)).toBe(200);
    expect(await usersOf(served)).toEqual([expected]);
  });

  it('is the user that authorize returns, and a body with another user is rejected', async () => {
    const seen: Identity[] = [];
    const authorize: HandlerOptions['authorize'] = (_, identity) => (seen.push(identity), { userId: 'ann' });
    const served = await demo({ authorize, answers: [says('Hello.')] });
    expect(await chat(served, { userId: 'bob' })).toBe(403);
    expect(await usersOf(served)).toEqual([]);
    expect(await chat(served, { query: '?userId=bob' })).toBe(200);
    expect(await usersOf(served)).toEqual(['ann']);
    for (const path of paths) expect((await served.get(`${path}?userId=bob`)).status).toBeLessThan(300);
    expect(seen.map(({ appName, action }) => `${appName} ${action}`)).toEqual([
      ...['demo run', 'demo run', 'demo read', 'demo read'],
    ]);
  });

  it('is rejected with 401 or 403 before anything is read or stored', async () => {
    for (const [result, status] of [
      [false, 403],
      [new Response('Sign in', { status: 401 }), 401],
    ] as const) {
      const authorize = (): false | Response => (result === false ? false : result.clone());
      const served = await demo({ authorize });
      expect(await chat(served)).toBe(status);
      for (const path of paths) expect((await served.get(path)).status).toBe(status);
      const stop = new Request(`http://localhost${paths[0]}`, { method: 'DELETE' });
      expect((await served.handler(stop)).status).toBe(status);
      expect(await usersOf(served)).toEqual([]);
    }
  });

  it('is passed to rateLimit once per request', async () => {
    const limited: unknown[] = [];
    const rateLimit: HandlerOptions['rateLimit'] = (_, { userId, action }) => limited.push([userId, action]) < 2;
    const served = await demo({ rateLimit, answers: [says('Hello.')] });
    expect(await chat(served, { query: '?userId=ada' })).toBe(200);
    expect(await chat(served, { query: '?userId=ada' })).toBe(429);
    expect(limited).toEqual([
      ['ada', 'run'],
      ['ada', 'run'],
    ]);
  });

  it('can read only its own chats', async () => {
    const served = await demo({ answers: [says('Hello.')] });
    await chat(served, { query: '?userId=ada' });
    const read = async (userId: string): Promise<unknown[]> =>
      ((await (await served.get(`${paths[1]}?userId=${userId}`)).json()) as { messages: unknown[] }).messages;
    expect(await read('ada')).toHaveLength(2);
    expect(await read('bob')).toEqual([]);
  });
});
