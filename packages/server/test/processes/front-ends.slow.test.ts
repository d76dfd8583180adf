import { HttpAgent } from '@ag-ui/client';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { says, ScriptedLlm, streams } from '@thole/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHandler } from '../../src/index.ts';
import { serve } from '../../src/node.ts';

const sessionService = new InMemorySessionService();
const model = new ScriptedLlm(streams('Good ', 'day.'), says('Fine.'), streams('Good ', 'day.'));
const rootAgent = new LlmAgent({ name: 'clerk', model });
const handler = createHandler({ apps: [{ name: 'demo', rootAgent }], sessionService, onDisconnect: 'continue' });
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => void (server = await serve(handler, { port: 0 })));
afterAll(() => server.close({ timeoutMs: 100 }));

describe('serve', () => {
  it('streams to the clients of OpenAI and AG-UI over HTTP, in one session', async () => {
    const client = new OpenAI({ apiKey: 'key', baseURL: `${server.url}/v1`, maxRetries: 0 });
    const body = { model: 'demo', messages: [{ role: 'user' as const, content: 'Hello' }] };
    const options = { headers: { 'x-session-id': 's' } };
    const completion = await client.chat.completions.stream(body, options).finalChatCompletion();
    expect(completion.choices[0]!.message.content).toBe('Good day.');
    const agent = new HttpAgent({ url: `${server.url}/ag-ui/demo`, threadId: 's' });
    agent.addMessage({ id: 'm', role: 'user', content: 'How are you?' });
    await agent.runAgent();
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Fine.' });
    expect(model.requests[1]!.contents).toHaveLength(3);
  });

  it('deletes a temporary session when its client disconnects', async () => {
    const client = new OpenAI({ apiKey: 'key', baseURL: `${server.url}/v1`, maxRetries: 0 });
    const body = { model: 'demo', messages: [{ role: 'user' as const, content: 'Hello' }], stream: true as const };
    for await (const _ of await client.chat.completions.create(body)) break;
    const idsOf = async () => (await sessionService.listSessions({ appName: 'demo' })).sessions.map(({ id }) => id);
    await expect.poll(idsOf).toEqual(['s']);
  });
});
