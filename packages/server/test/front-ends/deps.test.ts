import { TholeError } from '@thole/core';
import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { demo, neverAnswers } from '../demo.ts';

const message = { id: 'm1', role: 'user', content: 'Hello' };
const requests: [path: string, body: object, headers?: Record<string, string>][] = [
  ['/ui/demo/chat', { id: 'new', messages: [{ ...message, parts: [{ type: 'text', text: 'Hello' }] }] }],
  ['/ag-ui/demo', { threadId: 'new', runId: 'r1', messages: [message] }],
  ['/v1/chat/completions', { model: 'demo', messages: [message] }, { 'x-session-id': 'new' }],
  ['/v1/responses', { model: 'demo', input: 'Hello' }],
  ['/v1/responses', { model: 'demo', input: 'Hello', conversation: 'new' }],
];

describe('deps', () => {
  it.each(requests)('keeps %s from creating a session if it throws', async (path, body, headers) => {
    const deps = (): never => {
      throw new TholeError('FORBIDDEN', 'The tenant is closed.');
    };
    const { post, sessions } = await demo({ deps });
    const response = await post(path, body, { headers: headers ?? {} });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('The tenant is closed.')]);
    expect((await sessions.listSessions({ appName: 'demo' })).total).toBe(1);
  });

  it.each(requests)('is called once for a request to %s', async (path, body, headers) => {
    let count = 0;
    const { post } = await demo({ answers: [says('Good day.')], deps: () => ++count });
    const response = await post(path, body, { headers: headers ?? {} });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Good day.')]);
    expect(count).toBe(1);
  });
});

describe('limits.concurrentRuns', () => {
  it.each(requests)('keeps %s from creating a session on a busy server', async (path, body, headers) => {
    const called = Promise.withResolvers<AbortSignal>();
    const { handler, post, run, sessions } = await demo({
      answers: [neverAnswers(called)],
      limits: { concurrentRuns: 1 },
    });
    const running = run('/run');
    await called.promise;
    const response = await post(path, body, { headers: headers ?? {} });
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('active runs')]);
    expect((await sessions.listSessions({ appName: 'demo' })).total).toBe(1);
    await handler.close({ timeoutMs: 0 });
    await running;
  });
});
