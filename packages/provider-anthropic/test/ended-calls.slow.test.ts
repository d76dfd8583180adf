import { queryObjects } from 'node:v8';
import { afterEach, describe, expect, it } from 'vitest';
import { ProtocolServer } from '@thole/testing/http';
import { Anthropic } from '../src/index.ts';
import { answerWith } from './anthropic-server.ts';
import { ask, hello } from './ask.ts';
import { messageOf } from './fixtures/messages.ts';

const servers: ProtocolServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe('Anthropic', () => {
  it.each([false, true])('keeps no object of ended calls in memory with stream: %s', async (stream) => {
    const message = messageOf([{ type: 'text', text: 'Nine.' }]);
    const server = await ProtocolServer.start(({ body }) => answerWith(message, body));
    servers.push(server);
    const llm = new Anthropic({
      model: 'claude-sonnet-5-5',
      apiKey: 'sk-ant-12345',
      baseUrl: server.url,
      retry: false,
    });
    const { signal } = new AbortController();
    for (let i = 0; i < 3; i++) await ask(llm, hello, { stream, signal });
    const before = queryObjects(AbortSignal, { format: 'count' });
    for (let i = 0; i < 30; i++) await ask(llm, hello, { stream, signal });
    // Some objects are collected a little later.
    await expect
      .poll(() => queryObjects(AbortSignal, { format: 'count' }), { timeout: 20_000 })
      .toBeLessThan(before + 20);
  });
});
