import { FixedRuntime } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenAi } from '../src/index.ts';
import { ask } from './ask.ts';
import { openAi } from './fixtures/chat-servers.ts';
import { message, responseOf } from './fixtures/responses-answers.ts';

async function serverWith(answer: ServerAnswer, api: 'chat' | 'responses') {
  const server = await ProtocolServer.start(() => answer);
  onTestFinished(() => server.close());
  const runtime = new FixedRuntime();
  return {
    server,
    runtime,
    model: new OpenAi({ model: 'gpt-5', apiKey: 'sk-12345', baseUrl: `${server.url}/v1`, api, runtime }),
  };
}

const answers = { chat: openAi.whole, responses: responseOf([message(['Room 912.'])]) };

describe('an answer that was made', () => {
  it.each(['chat', 'responses'] as const)('is not asked for again where its body breaks off (%s)', async (api) => {
    const { server, runtime, model } = await serverWith(
      { body: [JSON.stringify(answers[api]).slice(0, 40)], ending: 'cut' },
      api,
    );
    await expect(ask(model)).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
    expect([server.requests.length, runtime.pending]).toEqual([1, 0]);
  });

  it.each(['queued', 'in_progress'])('is not asked for again where it is %s', async (status) => {
    const { server, model } = await serverWith({ body: JSON.stringify({ ...responseOf([]), status }) }, 'responses');
    await expect(ask(model)).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
    expect(server.requests.length).toBe(1);
  });

  it('has an unknown status as its finish reason', async () => {
    const { server, model } = await serverWith(
      { body: JSON.stringify({ ...answers.responses, status: 'paused' }) },
      'responses',
    );
    expect(await ask(model)).toMatchObject([{ finishReason: 'paused', content: { parts: [{ text: 'Room 912.' }] } }]);
    expect(server.requests.length).toBe(1);
  });

  it('cannot be asked for in the background', async () => {
    const { server, model } = await serverWith({ body: '{}' }, 'responses');
    const request = { providerOptions: { openai: { background: true } } };
    const named = new OpenAi({
      model: 'gpt-5',
      apiKey: 'sk-12345',
      baseUrl: `${server.url}/v1`,
      api: 'responses',
      provider: 'openai',
    });
    await expect(ask(named, { request })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('background'),
    });
    expect([server.requests.length, model.model]).toEqual([0, 'gpt-5']);
  });
});
