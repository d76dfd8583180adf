import { describe, expect, it } from 'vitest';
import { endpointOf } from '../src/anthropic-options.ts';
import { Anthropic } from '../src/index.ts';
import type { AnthropicOptions } from '../src/index.ts';
import { optionsFromEnv } from '../src/options-from-env.ts';

const create = (options: object) => () => new Anthropic({ model: 'claude-sonnet-5-5', ...options } as AnthropicOptions);

describe('Anthropic', () => {
  it.each<[string, object, RegExp]>([
    ['no key', {}, /ANTHROPIC_API_KEY/],
    ['an empty model', { model: '', apiKey: 'k' }, /model of Anthropic/],
    ['an unknown option', { apiKey: 'k', base: 'x' }, /no option base/],
    ['maxTokens 0', { apiKey: 'k', maxTokens: 0 }, /maxTokens of Anthropic/],
    ['two clouds', { bedrock: { region: 'r' }, vertex: { project: 'p' } }, /bedrock or vertex, not both/],
    ['bedrock without a region', { bedrock: {} }, /AWS_REGION/],
    [
      'an AWS key without its secret',
      { bedrock: { region: 'r', accessKeyId: 'a' } },
      /both accessKeyId and secretAccessKey/,
    ],
    ['an unknown option of bedrock', { bedrock: { region: 'r', key: 'a' } }, /no option key/],
    ['vertex without a project', { vertex: {} }, /GOOGLE_CLOUD_PROJECT/],
    ['vertex with a key', { vertex: { project: 'p' }, apiKey: 'k' }, /does not accept apiKey with vertex/],
    ['an authClient that is not an object', { vertex: { project: 'p', authClient: 'x' } }, /authClient/],
  ])('rejects %s with INVALID_INPUT', (_, options, message) => {
    expect(create(options)).toThrow(message);
    expect(create(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it('names the operator of its models', () => {
    expect(create({ apiKey: 'k' })().providerName).toBe('anthropic');
    expect(create({ bedrock: { region: 'r' } })().providerName).toBe('aws.bedrock');
    expect(create({ vertex: { project: 'p' } })().providerName).toBe('gcp.vertex_ai');
  });
});

describe('endpointOf', () => {
  it('returns different names for endpoints that cannot read each other’s thoughts', () => {
    expect(endpointOf({}).name).toBe('anthropic');
    expect(endpointOf({ baseUrl: 'https://api.anthropic.com' }).name).toBe('anthropic');
    expect(endpointOf({ baseUrl: 'http://127.0.0.1:8080/x' }).name).toBe('anthropic:127.0.0.1:8080');
    expect(endpointOf({ bedrock: { region: 'r' } }).name).toBe('anthropic:bedrock');
    expect(endpointOf({ vertex: { project: 'p' } }).name).toBe('anthropic:vertex');
  });
});

describe('optionsFromEnv', () => {
  const env = {
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: 'https://gateway.example',
    AWS_DEFAULT_REGION: 'eu-west-1',
    AWS_BEARER_TOKEN_BEDROCK: 'b',
    GOOGLE_CLOUD_PROJECT: 'p',
    CLOUD_ML_REGION: 'us-east5',
  };

  it('reads the key and the address, and prefers the given options', () => {
    expect(optionsFromEnv({ env })).toEqual({ apiKey: 'k', baseUrl: 'https://gateway.example' });
    expect(optionsFromEnv({ env, apiKey: 'own', baseUrl: 'https://a.example' })).toEqual({
      apiKey: 'own',
      baseUrl: 'https://a.example',
    });
    expect(optionsFromEnv({ env, headers: { authorization: 'Bearer x' } }).apiKey).toBeUndefined();
    expect(optionsFromEnv({ env: { ANTHROPIC_API_KEY: ' ' } }).apiKey).toBeUndefined();
  });

  it('reads the variables of Bedrock and Vertex AI, and not Anthropic’s key', () => {
    expect(optionsFromEnv({ env, bedrock: true })).toEqual({ apiKey: 'b', bedrock: { region: 'eu-west-1' } });
    const keys = { accessKeyId: 'a', secretAccessKey: 's' };
    expect(optionsFromEnv({ env, bedrock: { region: 'r', ...keys } })).toEqual({ bedrock: { region: 'r', ...keys } });
    expect(optionsFromEnv({ env, vertex: true })).toEqual({ vertex: { project: 'p', region: 'us-east5' } });
    expect(optionsFromEnv({ env, vertex: { project: 'own' } }).vertex?.project).toBe('own');
  });
});
