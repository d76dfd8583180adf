import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { llmScenarios } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AiSdkLlm, aiSdkModels } from '../src/index.ts';
import type { AiSdkProvider } from '../src/index.ts';
import { startAnthropicServer } from './anthropic-server.ts';
import { ask } from './ask.ts';

const anthropic = createAnthropic({ apiKey: 'sk-local' });
const openai = createOpenAI({ apiKey: 'sk-local' });

describe('aiSdkModels', () => {
  it('supports <key of a provider>/<any name>', () => {
    const models = aiSdkModels({ anthropic, openai });
    expect(models.patterns).toEqual(['anthropic/*', 'openai/*']);
    const names = ['anthropic/claude-sonnet-4-5', 'openai/a/b', 'anthropic/', 'claude', '/x', 'google/x', 'toString/x'];
    expect(names.filter((name) => models.supports(name))).toEqual(['anthropic/claude-sonnet-4-5', 'openai/a/b']);
    expect(models.create('openai/a/b').model).toBe('a/b');
    expect(models.create('openai/a/b')).toBeInstanceOf(AiSdkLlm);
    expect(() => models.create('google/x')).toThrow(expect.objectContaining({ code: 'MODEL_UNKNOWN' }));
  });

  it('accepts an object with the method languageModel', () => {
    const provider = { languageModel: (name: string) => openai.chat(name) };
    expect(aiSdkModels({ chat: provider }).create('chat/gpt-4.1').model).toBe('gpt-4.1');
  });

  it('creates models that call the model of the request', async () => {
    const server = await startAnthropicServer(llmScenarios.text);
    onTestFinished(() => server.close());
    const local = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: 'sk-local' });
    const llm = aiSdkModels({ local }, { retry: false }).create('local/claude-sonnet-4-5') as AiSdkLlm;
    for (const model of [undefined, 'claude-opus-4-5', 'claude-opus-4-5']) await ask(llm, { request: { model } });
    expect(server.requests.map(({ body }) => (body as { model: string }).model)).toEqual([
      'claude-sonnet-4-5',
      'claude-opus-4-5',
      'claude-opus-4-5',
    ]);
  });

  it.each([
    [{ 'a/b': anthropic }, /slash/],
    [{ a: 'anthropic' }, /providers\.a .*a provider of the AI SDK/],
    [[anthropic], /an object of providers/],
  ])('rejects the providers of case %#', (providers, message) => {
    const create = (): unknown => aiSdkModels(providers as unknown as { [key: string]: AiSdkProvider });
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }));
  });
});
