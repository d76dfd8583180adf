import type { EnvVars } from '@thole/core';
import type { AzureOptions, OpenAiConnectionOptions } from './openai-options.ts';

/** Options of `fromEnv`. `azure: true` takes all of Azure's options from the environment. */
export type FromEnv<Options extends OpenAiConnectionOptions> = Omit<Options, 'model' | 'azure'> & {
  /** Environment variables. Default: `process.env`. */
  env?: EnvVars | undefined;
  azure?: true | Partial<AzureOptions> | undefined;
};

/**
 * Returns the options, completed from the environment: `OPENAI_API_KEY` and `OPENAI_BASE_URL`, or for Azure
 * `AZURE_OPENAI_API_KEY`, `AZURE_OPENAI_ENDPOINT` and `OPENAI_API_VERSION`. Given options have priority. Empty
 * variables are ignored.
 */
export function optionsFromEnv<Options extends OpenAiConnectionOptions>(
  options: FromEnv<Options>,
): Omit<FromEnv<Options>, 'env' | 'azure'> & OpenAiConnectionOptions {
  const { env = (globalThis as { process?: { env?: EnvVars } }).process?.env ?? {}, azure, ...given } = options;
  const read = (name: string): string | undefined => env[name] || undefined;
  if (!azure) {
    return {
      ...given,
      apiKey: given.apiKey ?? read('OPENAI_API_KEY'),
      baseUrl: given.baseUrl ?? read('OPENAI_BASE_URL'),
    };
  }
  const own = azure === true ? {} : azure;
  const endpoint = own.endpoint ?? read('AZURE_OPENAI_ENDPOINT');
  const apiVersion = own.apiVersion ?? read('OPENAI_API_VERSION');
  const apiKey = given.apiKey ?? read('AZURE_OPENAI_API_KEY');
  // Missing options are reported when the options are validated.
  return { ...given, apiKey, azure: { ...own, endpoint, apiVersion } as AzureOptions };
}
