import { describe, expect, it } from 'vitest';
import { openAiModels } from '../src/index.ts';
import type { OpenAi } from '../src/index.ts';
import { ask, fixedFetch } from './ask.ts';
import { openAi } from './fixtures/chat-servers.ts';

describe('openAiModels', () => {
  const env = { OPENAI_API_KEY: 'sk-12345' };

  it("supports OpenAI's names and openai/<any>, without the prefix in the model's name", () => {
    const models = openAiModels({ env });
    expect(models.patterns).toEqual(['gpt-*', 'o[0-9]*', 'openai/*']);
    for (const name of ['gpt-5-mini', 'o1', 'o3-mini', 'openai/gpt-5', 'openai/ft:gpt-4o:org::x']) {
      expect(models.supports(name), name).toBe(true);
    }
    for (const name of ['gemini-2.5-pro', 'openai/', 'olmo-2', 'o', 'my-gpt-5', 'ollama/gpt-oss']) {
      expect(models.supports(name), name).toBe(false);
    }
    expect(models.create('openai/gpt-5').model).toBe('gpt-5');
    expect(models.create('gpt-5').model).toBe('gpt-5');
  });

  it('supports only <prefix>/<any> with a prefix, and sends no OpenAI key', async () => {
    const { fetch, requests } = fixedFetch(openAi.whole);
    const models = openAiModels({ prefix: 'ollama', baseUrl: 'http://localhost:11434/v1', fetch });
    expect(models.patterns).toEqual(['ollama/*']);
    expect(models.supports('gpt-5')).toBe(false);
    const model = models.create('ollama/hf.co/qwen3:8b') as OpenAi;
    expect(model.model).toBe('hf.co/qwen3:8b');
    await ask(model);
    expect(requests[0]!.url).toBe('http://localhost:11434/v1/chat/completions');
    expect(await requests[0]!.json()).toMatchObject({ model: 'hf.co/qwen3:8b' });
    expect(requests[0]!.headers.get('authorization')).toBeNull();
  });

  it('rejects a name that it does not support with MODEL_UNKNOWN', () => {
    expect(() => openAiModels({ env }).create('gemini-3-flash')).toThrow(
      expect.objectContaining({
        code: 'MODEL_UNKNOWN',
        message: 'openAiModels does not know the model gemini-3-flash. It knows gpt-*, o[0-9]*, openai/*.',
      }),
    );
    expect(() => openAiModels({ prefix: 'ollama', env }).create('gpt-5')).toThrow(/It knows ollama\/\*\.$/);
  });

  it('rejects unknown options at once, and a missing key when it creates a model', () => {
    expect(() => openAiModels({ prefix: 'a/b' })).toThrow(/slash/);
    expect(() => openAiModels({ prefix: '' })).toThrow(/prefix/);
    expect(() => openAiModels({ base: 'x' } as never)).toThrow(/no option base/);
    expect(() => openAiModels({ env: {} }).create('gpt-5')).toThrow(/OPENAI_API_KEY/);
  });
});
