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

describe('OpenAi.generateContentAsync after an answer began', () => {
  it.each(['chat', 'responses'] as const)(
    'does not send the request again if the body ends early (%s)',
    async (api) => {
      const { server, runtime, model } = await serverWith(
        { body: [JSON.stringify(answers[api]).slice(0, 40)], ending: 'cut' },
        api,
      );
      await expect(ask(model)).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
      expect([server.requests.length, runtime.pending]).toEqual([1, 0]);
    },
  );

  it.each(['queued', 'in_progress'])('does not send the request again if the status is %s', async (status) => {
    const { server, model } = await serverWith({ body: JSON.stringify({ ...responseOf([]), status }) }, 'responses');
    await expect(ask(model)).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
    expect(server.requests.length).toBe(1);
  });

  it('returns an unknown status as the finish reason', async () => {
    const { server, model } = await serverWith(
      { body: JSON.stringify({ ...answers.responses, status: 'paused' }) },
      'responses',
    );
    expect(await ask(model)).toMatchObject([{ finishReason: 'paused', content: { parts: [{ text: 'Room 912.' }] } }]);
    expect(server.requests.length).toBe(1);
  });

  it('rejects the option background', async () => {
    const { server, model } = await serverWith({ body: '{}' }, 'responses');
    const request = { providerOptions: { openai: { background: true } } };
    const openAiModel = new OpenAi({
      model: 'gpt-5',
      apiKey: 'sk-12345',
      baseUrl: `${server.url}/v1`,
      api: 'responses',
      provider: 'openai',
    });
    await expect(ask(openAiModel, { request })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('background'),
    });
    expect([server.requests.length, model.model]).toEqual([0, 'gpt-5']);
  });
});
