import { describe, expect, it } from 'vitest';
import { demo } from '../demo.ts';
import type { Demo } from '../demo.ts';
import { says } from '@thole/testing';

/** A front end: how a client names its user and its session. */
interface FrontEnd {
  path: string;
  body(sessionId: string, userId?: string): object;
}

const frontEnds: [name: string, frontEnd: FrontEnd][] = [
  [
    'POST /v1/chat/completions',
    {
      path: '/v1/chat/completions',
      body: (sessionId, user) => ({
        model: 'demo',
        messages: [{ role: 'user', content: 'Hello' }],
        metadata: { session_id: sessionId },
        ...(user !== undefined && { user }),
      }),
    },
  ],
  [
    'POST /v1/responses',
    {
      path: '/v1/responses',
      body: (sessionId, user) => ({
        ...{ model: 'demo', input: 'Hello', conversation: sessionId },
        ...(user !== undefined && { user }),
      }),
    },
  ],
  [
    'POST /ag-ui/:app',
    {
      path: '/ag-ui/demo',
      body: (threadId, userId) => ({
        ...{ threadId, runId: 'r1', messages: [{ id: 'm1', role: 'user', content: 'Hello' }], tools: [], context: [] },
        ...(userId !== undefined && { forwardedProps: { userId } }),
      }),
    },
  ],
];

async function usersWith(sessionId: string, { sessions }: Demo): Promise<string[]> {
  const users = ['user', 'ada', 'bob', 'eve'];
  const stored = await Promise.all(users.map((userId) => sessions.getSession({ appName: 'demo', userId, sessionId })));
  return users.filter((_, i) => stored[i] !== undefined);
}

describe.each(frontEnds)('the user of %s', (_, { path, body }) => {
  it.each([
    ['"user" without a name', {}, 'user'],
    ['the user in ?userId=', { query: '?userId=ada' }, 'ada'],
    ['the user in the header x-user-id', { headers: { 'x-user-id': 'eve' } }, 'eve'],
    ['the user in the body', { userId: 'bob' }, 'bob'],
  ])('is %s, and the session of the client is created', async (_name, p, expected) => {
    const {
      query = '',
      headers = {},
      userId,
    } = p as { query?: string; headers?: Record<string, string>; userId?: string };
    const served = await demo({ answers: [says('Good day.')] });
    const response = await served.post(path + query, body('c', userId), { headers });
    await response.text();
    expect(response.status).toBe(200);
    expect(await usersWith('c', served)).toEqual([expected]);
  });

  it('is the user that authorize returns, and a body with another user is rejected', async () => {
    const served = await demo({ answers: [says('Good day.')], authorize: () => ({ userId: 'ada' }) });
    const refused = await served.post(path, body('c', 'bob'));
    expect(refused.status).toBe(403);
    expect(await usersWith('c', served)).toEqual([]);
    const response = await served.post(`${path}?userId=bob`, body('c'));
    await response.text();
    expect(response.status).toBe(200);
    expect(await usersWith('c', served)).toEqual(['ada']);
  });
});
