import { TholeError } from '@thole/core';
import { assertConnectionOptions, invalidInput, isPlainObject, optionNames } from '@thole/core/kit';
import type { ConnectionOptions, EnvVars } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/** Connection options of Gemini: the Gemini API with a key, or Vertex AI with a project or an express-mode key. */
export interface GeminiConnectionOptions extends ConnectionOptions {
  /** True to use Vertex AI instead of the Gemini API. Default: false. */
  vertexai?: boolean | undefined;
  /** Google Cloud project for Vertex AI. Without `apiKey`, calls use Google Cloud's default credentials. */
  project?: string | undefined;
  /** Location of the model on Vertex AI. Default: `global`. */
  location?: string | undefined;
  /** Version of the API. Default: `v1beta`, on Vertex AI `v1beta1`. */
  apiVersion?: string | undefined;
  /**
   * Options of `google-auth-library` for Vertex AI without a key: `credentials`, `keyFilename`, `scopes`. Default:
   * none.
   */
  googleAuthOptions?: object | undefined;
  /**
   * Handling of JSON Schema keywords that Gemini does not support and that change which values are valid: `exact`
   * throws `SCHEMA_UNSUPPORTED`, `lenient` removes them. Default: `exact`.
   */
  schemas?: 'exact' | 'lenient' | undefined;
}

/** The names of the options other than those of `ConnectionOptions`. */
export const geminiOptionNames: readonly string[] = optionNames<Omit<GeminiConnectionOptions, keyof ConnectionOptions>>(
  {
    vertexai: true,
    project: true,
    location: true,
    apiVersion: true,
    googleAuthOptions: true,
    schemas: true,
  },
);

/**
 * Throws `INVALID_INPUT` for options that `owner` cannot use. `moreNames` are options that are not connection options. For
 * a missing key, the message names the environment variable.
 */
export function assertGeminiOptions(
  options: GeminiConnectionOptions,
  moreNames: readonly string[],
  owner: string,
): void {
  assertConnectionOptions(options, [...geminiOptionNames, ...moreNames], owner);
  const { vertexai, apiKey, apiVersion, googleAuthOptions, schemas } = options;
  if (schemas !== undefined && schemas !== 'exact' && schemas !== 'lenient')
    throw new TholeError('INVALID_INPUT', `schemas of ${owner} must be 'exact' or 'lenient'.`);
  if (googleAuthOptions !== undefined) {
    if (!isPlainObject(googleAuthOptions))
      throw invalidInput(`googleAuthOptions of ${owner}`, 'an object', googleAuthOptions);
    if (!vertexai || apiKey !== undefined)
      throw new TholeError('INVALID_INPUT', `googleAuthOptions of ${owner} is for Vertex AI without an apiKey.`);
  }
  if (apiVersion !== undefined && !/^v\d\w*$/.test(apiVersion))
    throw new TholeError('INVALID_INPUT', `apiVersion of ${owner} must be a version such as v1beta.`);
  if (vertexai !== undefined && typeof vertexai !== 'boolean')
    throw invalidInput(`vertexai of ${owner}`, 'a boolean', vertexai);
  for (const name of ['project', 'location'] as const) {
    const value = options[name];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value === '')
      throw invalidInput(`${name} of ${owner}`, 'a string that is not empty', value);
    if (!vertexai) throw new TholeError('INVALID_INPUT', `${name} of ${owner} is for Vertex AI: set vertexai to true.`);
  }
  if (apiKey !== undefined || (vertexai && options.project !== undefined)) return;
  throw new TholeError(
    'INVALID_INPUT',
    vertexai
      ? `${owner} needs a project for Vertex AI: set GOOGLE_CLOUD_PROJECT and use fromEnv, or pass project (or apiKey for the express mode).`
      : `${owner} needs an API key: set GOOGLE_API_KEY or GEMINI_API_KEY (or GOOGLE_GENAI_API_KEY) and use fromEnv, or pass apiKey.`,
  );
}

/**
 * Returns the options, completed from the environment: `GOOGLE_API_KEY` before `GEMINI_API_KEY` before
 * `GOOGLE_GENAI_API_KEY`. On Vertex AI, a project of the environment has priority over its key.
 */
export function withEnv<T extends GeminiConnectionOptions>(given: T, env: EnvVars = globalThis.process?.env ?? {}): T {
  const readVariable = (name: string): string | undefined => env[name]?.trim() || undefined;
  const vertexai = given.vertexai ?? /^(true|1)$/i.test(readVariable('GOOGLE_GENAI_USE_VERTEXAI') ?? '');
  const apiKey =
    given.apiKey ??
    readVariable('GOOGLE_API_KEY') ??
    readVariable('GEMINI_API_KEY') ??
    readVariable('GOOGLE_GENAI_API_KEY');
  if (!vertexai)
    return { ...given, vertexai, apiKey, baseUrl: given.baseUrl ?? readVariable('GOOGLE_GEMINI_BASE_URL') };
  const base = { ...given, vertexai, baseUrl: given.baseUrl ?? readVariable('GOOGLE_VERTEX_BASE_URL') };
  if (given.apiKey !== undefined) return base;
  const project = given.project ?? readVariable('GOOGLE_CLOUD_PROJECT');
  if (project === undefined) return { ...base, apiKey };
  return { ...base, project, location: given.location ?? readVariable('GOOGLE_CLOUD_LOCATION') };
}

/**
 * Returns the model's endpoint: `gemini` for the Gemini API, `vertex` for Vertex AI, and `gemini:<host>` or
 * `vertex:<host>` for a `baseUrl` that is not Google's. Thought signatures of one endpoint are invalid at another.
 */
export function endpointOf({ vertexai, baseUrl }: GeminiConnectionOptions): Endpoint {
  const provider = vertexai ? 'vertex' : 'gemini';
  if (baseUrl === undefined) return { name: provider };
  const { host, hostname } = new URL(baseUrl);
  const googleHost = vertexai
    ? /(^|[.-])aiplatform(\.[a-z]+\.rep)?\.googleapis\.com$/
    : /^generativelanguage\.googleapis\.com$/;
  return { name: googleHost.test(hostname) ? provider : `${provider}:${host}` };
}
