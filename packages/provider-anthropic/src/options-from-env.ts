import type { EnvVars } from '@thole/core';
import type { AnthropicConnectionOptions, BedrockOptions, VertexOptions } from './anthropic-options.ts';

/** Options of `fromEnv`. `bedrock: true` and `vertex: true` take all their options from the environment. */
export type FromEnv = Omit<AnthropicConnectionOptions, 'bedrock' | 'vertex'> & {
  /** Environment variables. Default: `process.env`. */
  env?: EnvVars | undefined;
  bedrock?: true | Partial<BedrockOptions> | undefined;
  vertex?: true | Partial<VertexOptions> | undefined;
};

/**
 * Returns the options, completed from the environment: `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`; for Bedrock
 * `AWS_REGION` (or `AWS_DEFAULT_REGION`) and `AWS_BEARER_TOKEN_BEDROCK`; for Vertex AI `ANTHROPIC_VERTEX_PROJECT_ID`
 * (or `GOOGLE_CLOUD_PROJECT`) and `CLOUD_ML_REGION`. Given options have priority. Empty variables are ignored.
 */
export function optionsFromEnv(options: FromEnv): AnthropicConnectionOptions {
  const { env = globalThis.process?.env ?? {}, bedrock, vertex, ...given } = options;
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  if (bedrock) {
    const own = bedrock === true ? {} : bedrock;
    const region = own.region ?? read('AWS_REGION') ?? read('AWS_DEFAULT_REGION');
    const apiKey = given.apiKey ?? (own.accessKeyId === undefined ? read('AWS_BEARER_TOKEN_BEDROCK') : undefined);
    // Missing options are reported when the options are validated.
    return { ...given, apiKey, bedrock: { ...own, region } as BedrockOptions };
  }
  if (vertex) {
    const own = vertex === true ? {} : vertex;
    const project = own.project ?? read('ANTHROPIC_VERTEX_PROJECT_ID') ?? read('GOOGLE_CLOUD_PROJECT');
    return { ...given, vertex: { ...own, project, region: own.region ?? read('CLOUD_ML_REGION') } as VertexOptions };
  }
  const hasKey = Object.keys(given.headers ?? {}).some((name) => /^(authorization|x-api-key)$/i.test(name));
  return {
    ...given,
    apiKey: given.apiKey ?? (hasKey ? undefined : read('ANTHROPIC_API_KEY')),
    baseUrl: given.baseUrl ?? read('ANTHROPIC_BASE_URL'),
  };
}
