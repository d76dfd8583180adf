import type { EnvVars, Optional } from '@thole/core';
import type { AzureOptions, OpenAiConnectionOptions } from './openai-options.ts';

/** Options of `fromEnv`. `azure: true` reads all options of Azure from the environment. */
export type FromEnv<Options extends OpenAiConnectionOptions> = Omit<Options, 'model' | 'azure'> & {
  /** Environment variables. Default: `process.env`. */
  env?: EnvVars | undefined;
  azure?: true | Optional<AzureOptions> | undefined;
};

/**
 * Returns the options, completed from the environment: `OPENAI_API_KEY` and `OPENAI_BASE_URL`, or for Azure
 * `AZURE_OPENAI_API_KEY`, `AZURE_OPENAI_ENDPOINT` and `OPENAI_API_VERSION`. The given options have priority. Empty
 * variables are ignored.
 */
export function optionsFromEnv<Options extends OpenAiConnectionOptions>(
  options: FromEnv<Options>,
): Omit<FromEnv<Options>, 'env' | 'azure'> & OpenAiConnectionOptions {
  const { env = globalThis.process?.env ?? {}, azure, ...given } = options;
  const readVariable = (name: string): string | undefined => env[name] || undefined;
  if (!azure) {
    return {
      ...given,
      apiKey: given.apiKey ?? readVariable('OPENAI_API_KEY'),
      baseUrl: given.baseUrl ?? readVariable('OPENAI_BASE_URL'),
    };
  }
  const givenAzure = azure === true ? {} : azure;
  const endpoint = givenAzure.endpoint ?? readVariable('AZURE_OPENAI_ENDPOINT');
  const apiVersion = givenAzure.apiVersion ?? readVariable('OPENAI_API_VERSION');
  const apiKey = given.apiKey ?? readVariable('AZURE_OPENAI_API_KEY');
  // Missing options are reported when the options are validated.
  return { ...given, apiKey, azure: { ...givenAzure, endpoint, apiVersion } as AzureOptions };
}
