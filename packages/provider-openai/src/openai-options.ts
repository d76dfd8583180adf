import { TholeError } from '@thole/core';
import {
  assertConnectionOptions,
  invalidInput,
  isPlainObject,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { ConnectionOptions } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/** The API of OpenAI to use. */
export type OpenAiApi = 'responses' | 'chat';

/** A deployment on Azure. */
export interface AzureOptions {
  /** `https://<resource>.openai.azure.com`, `….services.ai.azure.com` or `….cognitiveservices.azure.com`. */
  readonly endpoint: string;
  /** Name of the deployment. Default: the model's name. */
  readonly deployment?: string | undefined;
  /** API version, such as `2025-04-01-preview`. */
  readonly apiVersion: string;
}

/** Connection options of OpenAI, Azure or a compatible server. */
export interface OpenAiConnectionOptions extends Omit<ConnectionOptions, 'apiKey'> {
  /** The key, or a function that returns one for each call, such as a token of Microsoft Entra ID. Never shown in errors, logs or events. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** OpenAI's id of the organization to bill. */
  organization?: string | undefined;
  /** OpenAI's id of the project. */
  project?: string | undefined;
  /**
   * Name of the provider: it is written to `partMetadata`, selects the member of `request.providerOptions`, and
   * determines known requirements of the server. Default: `openai` for OpenAI and Azure, otherwise the host of
   * `baseUrl`.
   */
  provider?: string | undefined;
  /** Connects to Azure instead of OpenAI. */
  azure?: AzureOptions | undefined;
  /**
   * Handling of schemas that OpenAI does not support: `exact` throws `SCHEMA_UNSUPPORTED`, `lenient` removes the
   * unsupported parts. Default: `exact`.
   */
  schemas?: 'exact' | 'lenient' | undefined;
}

/** The server and model that a request is written for. */
export interface RequestTarget {
  /** The model that answers. It determines what may be sent. */
  readonly model: string;
  /** Sent instead of the model's name: the deployment on Azure. Default: the model. */
  readonly deployment?: string | undefined;
  /** Selects `providerOptions` and known requirements of the server. */
  readonly provider: string;
  /** Written to `partMetadata`. Default: an endpoint with the provider's name. */
  readonly endpoint?: Endpoint | undefined;
  readonly stream: boolean;
  readonly schemas?: 'exact' | 'lenient' | undefined;
  /** Is called with the name of each setting that is not sent. */
  readonly leaveOut?: ((setting: string) => void) | undefined;
}

/** Returns the endpoint of a target. */
export function endpointIn({ endpoint, provider }: RequestTarget): Endpoint {
  return endpoint ?? { name: provider };
}

/** The names of the options other than those of `ConnectionOptions`. */
export const ownOptionNames: readonly string[] = optionNames<Omit<OpenAiConnectionOptions, keyof ConnectionOptions>>({
  organization: true,
  project: true,
  provider: true,
  azure: true,
  schemas: true,
});

const azureOptionNames = optionNames<AzureOptions>({ endpoint: true, deployment: true, apiVersion: true });

/** Throws `INVALID_INPUT` for options that `owner` cannot use. */
export function assertOpenAiOptions(options: OpenAiConnectionOptions, owner: string): void {
  const { apiKey, schemas } = options;
  const key = typeof apiKey === 'function' ? undefined : apiKey;
  assertConnectionOptions({ ...options, apiKey: key }, ownOptionNames, owner);
  if (schemas !== undefined && schemas !== 'exact' && schemas !== 'lenient')
    throw new TholeError('INVALID_INPUT', `schemas of ${owner} must be 'exact' or 'lenient'.`);
  for (const name of ['organization', 'project', 'provider'] as const) assertText(options[name], `${name} of ${owner}`);
  if (options.azure !== undefined) assertAzure(options, owner);
  if (options.apiKey !== undefined || hasAuthorizationHeader(options)) return;
  if (options.azure)
    throw new TholeError(
      'INVALID_INPUT',
      `${owner} needs an API key: set AZURE_OPENAI_API_KEY and use ${owner}.fromEnv, or pass apiKey.`,
    );
  if (isOpenAi(options.baseUrl)) {
    throw new TholeError(
      'INVALID_INPUT',
      `${owner} needs an API key: set OPENAI_API_KEY and use ${owner}.fromEnv, or pass apiKey.`,
    );
  }
}

/** True for OpenAI's server and for Azure's addresses. */
export function isOpenAi(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true;
  const { hostname } = new URL(baseUrl);
  return /(^|\.)api\.openai\.com$/.test(hostname) || isAzureHost(hostname);
}

const isAzureHost = (hostname: string): boolean =>
  /\.(openai|services\.ai|cognitiveservices)\.azure\.com$/.test(hostname);

/**
 * Returns the model's endpoint: `openai` for OpenAI, `azure:<host>` for Azure, the host for a server without
 * `provider`, and otherwise `<provider>:<host>`. The last one also accepts parts whose
 * `partMetadata` has only the provider.
 */
export function endpointOf(options: OpenAiConnectionOptions): Endpoint {
  const { provider, azure } = options;
  const address = azure?.endpoint ?? options.baseUrl;
  if (address === undefined) return { name: provider ?? 'openai' };
  const { host, hostname } = new URL(address);
  if (provider === undefined) {
    if (azure || isAzureHost(hostname)) return { name: `azure:${host}` };
    if (hostname === 'api.openai.com') return { name: 'openai' };
    return { name: isOpenAi(address) ? `openai:${host}` : host };
  }
  if (provider === 'openai') return { name: hostname === 'api.openai.com' ? provider : `${provider}:${host}` };
  return { name: `${provider}:${host}`, earlierNames: [provider] };
}

/** Returns the provider's name if `provider` is not given. */
export function providerOf({ provider, baseUrl, azure }: OpenAiConnectionOptions): string {
  return provider ?? (azure || baseUrl === undefined || isOpenAi(baseUrl) ? 'openai' : new URL(baseUrl).host);
}

/** Throws `INVALID_INPUT` unless the value is a non-empty string or undefined. */
export function assertText(value: unknown, argument: string): void {
  if (value === undefined) return;
  if (typeof value !== 'string') throw invalidInput(argument, 'a string', value);
  if (value === '') throw new TholeError('INVALID_INPUT', `${argument} must not be empty.`);
}

function assertAzure({ azure, baseUrl }: OpenAiConnectionOptions, owner: string): void {
  const argument = `azure of ${owner}`;
  if (!isPlainObject(azure)) throw invalidInput(argument, '{endpoint, apiVersion, deployment?}', azure);
  rejectUnknownOptions(azure, azureOptionNames, argument);
  if (baseUrl !== undefined)
    throw new TholeError('INVALID_INPUT', `${owner} accepts baseUrl or azure.endpoint, not both.`);
  if (azure['endpoint'] === undefined)
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} needs an endpoint: set AZURE_OPENAI_ENDPOINT and use ${owner}.fromEnv, or pass endpoint.`,
    );
  if (azure['apiVersion'] === undefined)
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} needs an apiVersion: set OPENAI_API_VERSION and use ${owner}.fromEnv, or pass apiVersion.`,
    );
  for (const name of ['endpoint', 'apiVersion', 'deployment']) assertText(azure[name], `${name} of ${argument}`);
  assertConnectionOptions({ baseUrl: azure['endpoint'] as string }, [], argument);
}

function hasAuthorizationHeader({ headers = {} }: OpenAiConnectionOptions): boolean {
  return Object.keys(headers).some((name) => /^(authorization|api-key)$/i.test(name));
}

/** Throws `INVALID_INPUT` unless the value is one of the two APIs. */
export function assertApi(api: unknown, owner: string): void {
  if (api === undefined || api === 'responses' || api === 'chat') return;
  throw new TholeError('INVALID_INPUT', `api of ${owner} must be 'responses' or 'chat'.`);
}
