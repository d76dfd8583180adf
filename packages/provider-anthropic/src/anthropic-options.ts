import { TholeError } from '@thole/core';
import {
  assertConnectionOptions,
  assertCount,
  invalidInput,
  isPlainObject,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { ConnectionOptions } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/** Claude on Amazon Bedrock. Without keys, AWS's default credentials are used. */
export interface BedrockOptions {
  /** AWS region, such as `us-east-1`. */
  readonly region: string;
  /** Id of an AWS access key. Never shown in errors, logs or events. */
  readonly accessKeyId?: string | undefined;
  /** The secret of `accessKeyId`. */
  readonly secretAccessKey?: string | undefined;
  /** Session token of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

/** Claude on Vertex AI. */
export interface VertexOptions {
  /** Google Cloud project. */
  readonly project: string;
  /** Region of the model, such as `us-east5`. Default: `global`. */
  readonly region?: string | undefined;
  /** A client of `google-auth-library`. Default: Google's application default credentials. */
  readonly authClient?: object | undefined;
}

/** Connection options of Claude: Anthropic's API with a key, Amazon Bedrock or Vertex AI. */
export interface AnthropicConnectionOptions extends ConnectionOptions {
  /** Connects to Amazon Bedrock. Needs the package `@anthropic-ai/bedrock-sdk`. `apiKey` is then a key of Bedrock. */
  bedrock?: BedrockOptions | undefined;
  /** Connects to Vertex AI. Needs the package `@anthropic-ai/vertex-sdk`. `apiKey` is then not accepted. */
  vertex?: VertexOptions | undefined;
  /** Maximum number of tokens of an answer if a request has no `maxOutputTokens`. Default: 32,000, or the model's limit. */
  maxTokens?: number | undefined;
}

/** The model and endpoint that a request is written for. */
export interface RequestTarget {
  readonly model: string;
  readonly endpoint: Endpoint;
  readonly stream: boolean;
  /** Value of `max_tokens` if the request does not set it. */
  readonly maxTokens?: number | undefined;
  /** Is called with the name of each setting that is not sent. */
  readonly leaveOut?: ((setting: string) => void) | undefined;
}

/** The names of the options other than those of `ConnectionOptions`. */
export const ownOptionNames: readonly string[] = optionNames<Omit<AnthropicConnectionOptions, keyof ConnectionOptions>>(
  { bedrock: true, vertex: true, maxTokens: true },
);

const bedrockNames = optionNames<BedrockOptions>({
  region: true,
  accessKeyId: true,
  secretAccessKey: true,
  sessionToken: true,
});
const vertexNames = optionNames<VertexOptions>({ project: true, region: true, authClient: true });

/** Throws `INVALID_INPUT` for options that `owner` cannot use. For a missing key, the message names the environment variable. */
export function assertAnthropicOptions(options: AnthropicConnectionOptions, owner: string): void {
  assertConnectionOptions(options, ownOptionNames, owner);
  const { apiKey, bedrock, vertex, maxTokens, headers } = options;
  if (maxTokens !== undefined) assertCount(`maxTokens of ${owner}`, maxTokens, 1);
  if (bedrock !== undefined && vertex !== undefined)
    throw new TholeError('INVALID_INPUT', `${owner} accepts bedrock or vertex, not both.`);
  if (bedrock !== undefined) return assertBedrock(bedrock, owner);
  if (vertex !== undefined) {
    if (apiKey !== undefined)
      throw new TholeError(
        'INVALID_INPUT',
        `${owner} does not accept apiKey with vertex, which uses Google's credentials. Remove apiKey.`,
      );
    return assertVertex(vertex, owner);
  }
  if (apiKey !== undefined || hasKeyHeader(headers)) return;
  throw new TholeError(
    'INVALID_INPUT',
    `${owner} needs an API key: set ANTHROPIC_API_KEY and use fromEnv, or pass apiKey.`,
  );
}

/** True if the headers contain a key, so that `apiKey` is not needed. */
export function hasKeyHeader(headers: AnthropicConnectionOptions['headers'] = {}): boolean {
  return Object.keys(headers).some((name) => /^(authorization|x-api-key)$/i.test(name));
}

/**
 * Returns the model's endpoint: `anthropic` for Anthropic's API, `anthropic:bedrock`, `anthropic:vertex`, and
 * `anthropic:<host>` for the server of another `baseUrl`.
 */
export function endpointOf({ bedrock, vertex, baseUrl }: AnthropicConnectionOptions): Endpoint {
  if (bedrock) return { name: 'anthropic:bedrock' };
  if (vertex) return { name: 'anthropic:vertex' };
  if (baseUrl === undefined) return { name: 'anthropic' };
  const { host, hostname } = new URL(baseUrl);
  return { name: hostname === 'api.anthropic.com' ? 'anthropic' : `anthropic:${host}` };
}

function assertBedrock(bedrock: unknown, owner: string): void {
  const argument = `bedrock of ${owner}`;
  if (!isPlainObject(bedrock)) throw invalidInput(argument, '{region, accessKeyId?, secretAccessKey?}', bedrock);
  rejectUnknownOptions(bedrock, bedrockNames, argument);
  if (bedrock['region'] === undefined)
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} needs a region: set AWS_REGION and use ${owner}.fromEnv, or pass region.`,
    );
  for (const name of bedrockNames) assertText(bedrock[name], `${name} of ${argument}`);
  if ((bedrock['accessKeyId'] === undefined) !== (bedrock['secretAccessKey'] === undefined))
    throw new TholeError('INVALID_INPUT', `${argument} needs both accessKeyId and secretAccessKey, or neither.`);
}

function assertVertex(vertex: unknown, owner: string): void {
  const argument = `vertex of ${owner}`;
  if (!isPlainObject(vertex)) throw invalidInput(argument, '{project, region?, authClient?}', vertex);
  rejectUnknownOptions(vertex, vertexNames, argument);
  const { project, region, authClient } = vertex;
  if (project === undefined)
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} needs a project: set ANTHROPIC_VERTEX_PROJECT_ID or GOOGLE_CLOUD_PROJECT and use ${owner}.fromEnv, or pass project.`,
    );
  assertText(project, `project of ${argument}`);
  assertText(region, `region of ${argument}`);
  if (authClient !== undefined && (typeof authClient !== 'object' || authClient === null))
    throw invalidInput(`authClient of ${argument}`, 'a client of google-auth-library', authClient);
}

function assertText(value: unknown, argument: string): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return;
  throw invalidInput(argument, 'a string that is not empty', value);
}
