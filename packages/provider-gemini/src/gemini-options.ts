import { checkConnectionOptions, invalidInput, TholeError } from '@thole/core';
import type { ConnectionOptions, Environment } from '@thole/core';

/** How Gemini is reached: the Gemini API by its key, or Vertex AI by a project or by a key of its express mode. */
export interface GeminiConnectionOptions extends ConnectionOptions {
  /** Vertex AI instead of the Gemini API (false). */
  vertexai?: boolean | undefined;
  /** Of Google Cloud, for Vertex AI: calls bear its default credentials, unless there is an `apiKey`. */
  project?: string | undefined;
  /** Where Vertex AI runs the model (`global`). */
  location?: string | undefined;
  /** Of the API, such as `v1beta` for what is not in `v1` yet (the SDK's: `v1`, on Vertex AI `v1beta1`). */
  apiVersion?: string | undefined;
}

/**
 * Refuses (`INVALID_INPUT`) options that `owner` cannot be made with; where the key is missing it says which variable holds it.
 */
export function checkGeminiOptions(options: GeminiConnectionOptions, own: readonly string[], owner: string): void {
  checkConnectionOptions(options, ['vertexai', 'project', 'location', 'apiVersion', ...own], owner);
  const { vertexai, apiKey, apiVersion } = options;
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
      ? `${owner} needs a project for Vertex AI: set GOOGLE_CLOUD_PROJECT and use fromEnv, or give project (or apiKey for the express mode).`
      : `${owner} needs an API key: set GOOGLE_API_KEY or GEMINI_API_KEY and use fromEnv, or give apiKey.`,
  );
}

/** Refuses (`INVALID_INPUT`) what is no name of a model. */
export function checkModelName(model: unknown, owner: string): asserts model is string {
  if (typeof model !== 'string' || model === '')
    throw invalidInput(`model of ${owner}`, 'a string that is not empty', model);
}

/**
 * The given options, and from the environment what they leave open. Google's names: `GOOGLE_API_KEY` before `GEMINI_API_KEY`;
 * on Vertex AI a project of the environment wins over its key.
 */
export function withEnv<T extends GeminiConnectionOptions>(given: T, env: Environment = processEnv()): T {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const vertexai = given.vertexai ?? /^(true|1)$/i.test(read('GOOGLE_GENAI_USE_VERTEXAI') ?? '');
  const apiKey = given.apiKey ?? read('GOOGLE_API_KEY') ?? read('GEMINI_API_KEY');
  if (!vertexai) return { ...given, vertexai, apiKey, baseUrl: given.baseUrl ?? read('GOOGLE_GEMINI_BASE_URL') };
  const base = { ...given, vertexai, baseUrl: given.baseUrl ?? read('GOOGLE_VERTEX_BASE_URL') };
  if (given.apiKey !== undefined) return base;
  const project = given.project ?? read('GOOGLE_CLOUD_PROJECT');
  if (project === undefined) return { ...base, apiKey };
  return { ...base, project, location: given.location ?? read('GOOGLE_CLOUD_LOCATION') };
}

function processEnv(): Environment {
  return globalThis.process?.env ?? {};
}
