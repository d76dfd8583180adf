import { afterEach, describe, expect, it, vi } from 'vitest';
import { OpenAi, openAiModels } from '../src/index.ts';
import { ask, fixedFetch } from './ask.ts';
import { openAi } from './fixtures/chat-servers.ts';

const emptyAnswer = { id: 'x', object: 'response', status: 'completed', output: [], model: 'gpt-5' };
afterEach(() => void vi.unstubAllEnvs());

describe('OpenAi and the environment', () => {
  it('calls the Responses API with the options and nothing from the environment', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9');
    vi.stubEnv('OPENAI_ORG_ID', 'org-env');
    vi.stubEnv('OPENAI_ADMIN_KEY', 'sk-admin');
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'x-from-env: yes\nx-team: env');
    const { fetch, requests } = fixedFetch(emptyAnswer);
    const options = { apiKey: 'sk-12345', organization: 'org-1', project: 'proj-1', headers: { 'x-team': 'own' } };
    await ask(new OpenAi({ model: 'gpt-5', fetch, ...options }));
    const { url, headers } = requests[0]!;
    expect(url).toBe('https://api.openai.com/v1/responses');
    expect(headers.get('authorization')).toBe('Bearer sk-12345');
    expect(headers.get('openai-organization')).toBe('org-1');
    expect(headers.get('openai-project')).toBe('proj-1');
    expect(headers.get('x-team')).toBe('own');
    expect(headers.get('x-from-env')).toBeNull();
    await ask(new OpenAi({ model: 'gpt-5', fetch, apiKey: 'sk-12345' }));
    expect(requests[1]!.headers.get('openai-organization')).toBeNull();
  });

  it('calls Azure at its endpoint, for any base URL in the environment', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9');
    const { fetch, requests } = fixedFetch(openAi.whole);
    const azure = { endpoint: 'https://r.openai.azure.com', apiVersion: '2025-04-01-preview' };
    await ask(new OpenAi({ model: 'gpt-5', apiKey: 'key-12345', azure, api: 'chat', fetch }));
    expect(new URL(requests[0]!.url).pathname).toBe('/openai/deployments/gpt-5/chat/completions');
  });

  it('reads key and base URL from the environment of the process by default', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-process');
    vi.stubEnv('OPENAI_BASE_URL', 'http://localhost:11434/v1');
    const { fetch, requests } = fixedFetch(openAi.whole);
    await ask(OpenAi.fromEnv('qwen3', { fetch }));
    expect(requests[0]!.url).toBe('http://localhost:11434/v1/chat/completions');
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer sk-process');
  });

  it("sends OpenAI's key to a server under a prefix only on request", async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-process');
    const { fetch, requests } = fixedFetch(openAi.whole);
    const server = { prefix: 'local', baseUrl: 'http://localhost:11434/v1', fetch };
    await ask(openAiModels(server).create('local/qwen3') as OpenAi);
    expect(requests[0]!.headers.get('authorization')).toBeNull();
    await ask(openAiModels({ ...server, apiKey: 'sk-given' }).create('local/qwen3') as OpenAi);
    expect(requests[1]!.headers.get('authorization')).toBe('Bearer sk-given');
  });
});
