import { checkConnectionOptions, invalidInput, isPlainObject, refuseUnknown, TholeError } from '@thole/core';
import type { ConnectionOptions } from '@thole/core';

/** Which of OpenAI's two APIs is spoken. */
export type OpenAiApi = 'responses' | 'chat';

/** A deployment on Azure. */
export interface AzureOptions {
  /** `https://<resource>.openai.azure.com`. */
  readonly endpoint: string;
  /** The deployment's name, where it is not the model's. */
  readonly deployment?: string | undefined;
  /** Such as `2025-04-01-preview`. */
  readonly apiVersion: string;
}

/** Where OpenAI, Azure or a compatible server stands, and how it is called. */
export interface OpenAiConnectionOptions extends ConnectionOptions {
  /** OpenAI's id of the organization that pays. */
  organization?: string | undefined;
  /** OpenAI's id of the project. */
  project?: string | undefined;
  /**
   * Who is asked: stamps `partMetadata`, names its member of `request.providerOptions`, and tells what the server is known to
   * want. `openai` for OpenAI and Azure, else the host of `baseUrl`.
   */
  provider?: string | undefined;
  /** Azure in the place of OpenAI. */
  azure?: AzureOptions | undefined;
}

/** What the pure functions are told about whom they write for. */
export interface RequestTarget {
  readonly model: string;
  /** Who is asked: stamps `partMetadata` and picks `providerOptions`. */
  readonly provider: string;
  readonly stream: boolean;
}

/** `INVALID_INPUT` for options that `owner` cannot be made with; `own` are names it knows beside these. */
export function checkOpenAiOptions(options: OpenAiConnectionOptions, own: readonly string[], owner: string): void {
  checkConnectionOptions(options, ['organization', 'project', 'provider', 'azure', ...own], owner);
  for (const name of ['organization', 'project', 'provider'] as const) checkText(options[name], `${name} of ${owner}`);
  if (options.azure !== undefined) checkAzure(options, owner);
  if (options.apiKey !== undefined || bringsOwnAuthorization(options)) return;
  if (options.azure)
    throw new TholeError(
      'INVALID_INPUT',
      `${owner} has no apiKey: set AZURE_OPENAI_API_KEY and use ${owner}.fromEnv, or give one.`,
    );
  if (isOpenAi(options.baseUrl)) {
    throw new TholeError(
      'INVALID_INPUT',
      `${owner} has no apiKey: set OPENAI_API_KEY and use ${owner}.fromEnv, or give one.`,
    );
  }
}

/** Whether this is OpenAI's own server, or Azure's by its newer address. */
export function isOpenAi(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true;
  return /(^|\.)(api\.openai\.com|openai\.azure\.com)$/.test(new URL(baseUrl).hostname);
}

/** Who is asked, where `provider` does not say so. */
export function providerOf({ provider, baseUrl, azure }: OpenAiConnectionOptions): string {
  return provider ?? (azure || baseUrl === undefined || isOpenAi(baseUrl) ? 'openai' : new URL(baseUrl).host);
}

/** `INVALID_INPUT` for what is no text, or an empty one; undefined is none. */
export function checkText(value: unknown, argument: string): void {
  if (value === undefined) return;
  if (typeof value !== 'string') throw invalidInput(argument, 'a string', value);
  if (value === '') throw new TholeError('INVALID_INPUT', `${argument} must not be empty.`);
}

function checkAzure({ azure, baseUrl }: OpenAiConnectionOptions, owner: string): void {
  const where = `azure of ${owner}`;
  if (!isPlainObject(azure)) throw invalidInput(where, '{endpoint, apiVersion, deployment?}', azure);
  refuseUnknown(azure, ['endpoint', 'deployment', 'apiVersion'], where);
  if (baseUrl !== undefined)
    throw new TholeError('INVALID_INPUT', `${owner} takes baseUrl or azure.endpoint, not both.`);
  if (azure['endpoint'] === undefined)
    throw new TholeError(
      'INVALID_INPUT',
      `${where} has no endpoint: set AZURE_OPENAI_ENDPOINT and use ${owner}.fromEnv, or give one.`,
    );
  if (azure['apiVersion'] === undefined)
    throw new TholeError(
      'INVALID_INPUT',
      `${where} has no apiVersion: set OPENAI_API_VERSION and use ${owner}.fromEnv, or give one.`,
    );
  for (const name of ['endpoint', 'apiVersion', 'deployment']) checkText(azure[name], `${name} of ${where}`);
  checkConnectionOptions({ baseUrl: azure['endpoint'] as string }, [], where);
}

function bringsOwnAuthorization({ headers = {} }: OpenAiConnectionOptions): boolean {
  return Object.keys(headers).some((name) => /^(authorization|api-key)$/i.test(name));
}

/** `INVALID_INPUT` for what is none of the two. */
export function checkApi(api: unknown, owner: string): void {
  if (api === undefined || api === 'responses' || api === 'chat') return;
  throw new TholeError('INVALID_INPUT', `api of ${owner} must be 'responses' or 'chat'.`);
}
