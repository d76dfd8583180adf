import { join } from 'node:path';
import { ProtocolServer } from '@thole/testing/http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Anthropic } from '../src/index.ts';
import { answerWith } from './anthropic-server.ts';
import { ask } from './ask.ts';
import { messageOf } from './fixtures/messages.ts';

afterEach(() => vi.unstubAllEnvs());

describe('Anthropic.fromEnv', () => {
  it('reads key and address from the environment; the constructor does not', async () => {
    const server = await ProtocolServer.start(({ body }) => answerWith(messageOf([]), body));
    try {
      vi.stubEnv('ANTHROPIC_API_KEY', 'of-the-environment');
      vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'another-token');
      vi.stubEnv('ANTHROPIC_BASE_URL', server.url);
      vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'x-from-env: 1');
      await ask(Anthropic.fromEnv('claude-sonnet-5-5'));
      vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9');
      await ask(new Anthropic({ model: 'claude-sonnet-5-5', apiKey: 'own', baseUrl: server.url }));
      const headers = server.requests.map((request) => request.headers);
      expect(headers.map(({ authorization }) => authorization)).toEqual(['Bearer of-the-environment', 'Bearer own']);
      for (const each of headers) expect(each['x-from-env']).toBeUndefined();
    } finally {
      await server.close();
    }
  });

  it('does not send the key of Anthropic to Bedrock', async () => {
    const server = await ProtocolServer.start(() => ({ body: JSON.stringify(messageOf([])) }));
    try {
      vi.stubEnv('ANTHROPIC_API_KEY', 'of-anthropic');
      vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'bedrock-of-the-environment');
      const bedrock = { region: 'us-east-1', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
      await ask(new Anthropic({ model: 'claude-sonnet-5-5', bedrock, baseUrl: server.url }));
      expect(server.requests[0]!.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256/);
      expect(JSON.stringify(server.requests[0]!.headers)).not.toMatch(/of-anthropic|bedrock-of-the-environment/);
    } finally {
      await server.close();
    }
  });

  it('uses Google’s default credentials for Vertex AI, and reads them again after a failure', async () => {
    const server = await ProtocolServer.start(({ path, body }) =>
      path.startsWith('/computeMetadata')
        ? {
            headers: { 'metadata-flavor': 'Google', 'content-type': 'application/json' },
            body: JSON.stringify({ access_token: 'ya29.machine', expires_in: 3600, token_type: 'Bearer' }),
          }
        : answerWith(messageOf([{ type: 'text', text: 'Nine.' }]), body),
    );
    try {
      vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
      vi.stubEnv('CLOUDSDK_CONFIG', join(import.meta.dirname, 'no-such-folder'));
      // Without this variable, the library would run the command gcloud.
      vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'hotel');
      vi.stubEnv('GCE_METADATA_HOST', new URL(server.url).host);
      vi.stubEnv('METADATA_SERVER_DETECTION', 'none');
      const vertex = { project: 'hotel' };
      const llm = new Anthropic({ model: 'claude-sonnet-5-5', vertex, baseUrl: `${server.url}/v1`, retry: false });
      await expect(ask(llm)).rejects.toMatchObject({ code: 'MODEL_AUTH', retryable: false });
      expect(server.requests).toEqual([]);
      vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
      expect((await ask(llm)).at(-1)?.content?.parts).toEqual([{ text: 'Nine.' }]);
      expect(server.requests.at(-1)).toMatchObject({
        path: '/v1/projects/hotel/locations/global/publishers/anthropic/models/claude-sonnet-5-5:rawPredict',
        headers: { authorization: 'Bearer ya29.machine' },
      });
    } finally {
      await server.close();
    }
  });
});
