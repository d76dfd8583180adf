import type { EnvVars, Optional } from '@thole/core';
import { hasKeyHeader } from './anthropic-options.ts';
import type { AnthropicConnectionOptions, BedrockOptions, VertexOptions } from './anthropic-options.ts';

/** Options of `fromEnv`. `bedrock: true` and `vertex: true` read all options of the cloud from the environment. */
export type FromEnv = Omit<AnthropicConnectionOptions, 'bedrock' | 'vertex'> & {
  /** Environment variables. Default: `process.env`. */
  env?: EnvVars | undefined;
  bedrock?: true | Optional<BedrockOptions> | undefined;
  vertex?: true | Optional<VertexOptions> | undefined;
};

/**
 * Returns the options, completed from the environment: `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`; for Bedrock
 * `AWS_REGION` (or `AWS_DEFAULT_REGION`) and `AWS_BEARER_TOKEN_BEDROCK`; for Vertex AI `ANTHROPIC_VERTEX_PROJECT_ID`
 * (or `GOOGLE_CLOUD_PROJECT`) and `CLOUD_ML_REGION`. The given options have priority. Empty variables are ignored.
 */
export function optionsFromEnv(options: FromEnv): AnthropicConnectionOptions {
  const { env = globalThis.process?.env ?? {}, bedrock, vertex, ...given } = options;
  const readVariable = (name: string): string | undefined => env[name]?.trim() || undefined;
  if (bedrock) {
    const givenBedrock = bedrock === true ? {} : bedrock;
    const region = givenBedrock.region ?? readVariable('AWS_REGION') ?? readVariable('AWS_DEFAULT_REGION');
    const apiKey =
      given.apiKey ?? (givenBedrock.accessKeyId === undefined ? readVariable('AWS_BEARER_TOKEN_BEDROCK') : undefined);
    // Missing options are reported when the options are validated.
    return { ...given, apiKey, bedrock: { ...givenBedrock, region } as BedrockOptions };
  }
  if (vertex) {
    const givenVertex = vertex === true ? {} : vertex;
    const project =
      givenVertex.project ?? readVariable('ANTHROPIC_VERTEX_PROJECT_ID') ?? readVariable('GOOGLE_CLOUD_PROJECT');
    return {
      ...given,
      vertex: {
        ...givenVertex,
        project,
        region: givenVertex.region ?? readVariable('CLOUD_ML_REGION'),
      } as VertexOptions,
    };
  }
  return {
    ...given,
    apiKey: given.apiKey ?? (hasKeyHeader(given.headers) ? undefined : readVariable('ANTHROPIC_API_KEY')),
    baseUrl: given.baseUrl ?? readVariable('ANTHROPIC_BASE_URL'),
  };
}
