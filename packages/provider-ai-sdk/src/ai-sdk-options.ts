import { TholeError } from '@thole/core';
import {
  assertConnectionOptions,
  getOwn,
  invalidInput,
  isPlainObject,
  optionNames,
  setOwn,
  typeName,
} from '@thole/core/kit';
import type { ConnectionOptions, JsonObject } from '@thole/core';
import type { Endpoint } from '@thole/core/kit';

/**
 * A language model of an AI SDK provider, such as `anthropic('claude-sonnet-4-5')`: the members of `LanguageModelV3`
 * and `LanguageModelV4` that this package uses.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  /** Addresses that the model reads itself, by media type. */
  readonly supportedUrls: AiSdkUrls | PromiseLike<AiSdkUrls>;
  doGenerate(options: object): PromiseLike<object>;
  doStream(options: object): PromiseLike<object>;
}

/** Patterns of addresses by media type (`image/*`). */
export interface AiSdkUrls {
  readonly [mediaType: string]: readonly RegExp[];
}

/**
 * An embedding model of an AI SDK provider, such as `openai.embeddingModel('text-embedding-3-small')`: the members of
 * `EmbeddingModelV3` and `EmbeddingModelV4` that this package uses.
 */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  /** Maximum number of texts in one call. */
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  doEmbed(options: object): PromiseLike<object>;
}

/** Options of AI SDK providers, under the provider's name. They are passed to the model unchanged. */
export interface AiSdkProviderOptions {
  readonly [provider: string]: JsonObject;
}

/**
 * Limits of the calls of an AI SDK model. Key, address and `fetch` are options of the AI SDK provider that created the
 * model.
 */
export interface AiSdkConnectionOptions extends Pick<
  ConnectionOptions,
  'headers' | 'timeoutMs' | 'idleTimeoutMs' | 'retry' | 'runtime'
> {
  /** Options that are passed to the model with every call. `request.providerOptions` replace members of them. */
  providerOptions?: AiSdkProviderOptions | undefined;
}

/** A tool that the provider runs itself, such as `{id: 'anthropic.web_search_20250305', name: 'web_search', args: {}}`. */
export interface AiSdkProviderTool {
  readonly id: `${string}.${string}`;
  readonly name: string;
  readonly args: JsonObject;
}

/** The model that a request is written for. */
export interface RequestTarget {
  readonly version: 'v3' | 'v4';
  readonly endpoint: Endpoint;
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly providerOptions?: AiSdkProviderOptions | undefined;
  readonly providerTools?: readonly AiSdkProviderTool[] | undefined;
  readonly supportedUrls?: AiSdkUrls | undefined;
  /** Media types that the model rejected. */
  readonly unreadable?: ReadonlySet<string> | undefined;
  /** Is called with the name of each setting that is not sent. */
  readonly leaveOut?: ((setting: string) => void) | undefined;
}

const connectionNames = optionNames<AiSdkConnectionOptions>({
  headers: true,
  timeoutMs: true,
  idleTimeoutMs: true,
  retry: true,
  runtime: true,
  providerOptions: true,
});

/** Throws `INVALID_INPUT` for options that `owner` cannot use. `moreNames` are further option names. */
export function assertAiSdkOptions(options: AiSdkConnectionOptions, moreNames: readonly string[], owner: string): void {
  const known = [...connectionNames, ...moreNames];
  for (const name of ['apiKey', 'baseUrl', 'fetch']) {
    if (isPlainObject(options) && Object.hasOwn(options, name)) {
      throw new TholeError(
        'INVALID_INPUT',
        `${owner} has no option ${name}. Pass it to the AI SDK provider that creates the model.`,
      );
    }
  }
  assertConnectionOptions(options, known, owner);
  assertProviderOptions(options.providerOptions, `providerOptions of ${owner}`);
}

/** Throws `INVALID_INPUT` unless the value is undefined or an object of objects. */
export function assertProviderOptions(value: unknown, argument: string): void {
  if (value === undefined) return;
  if (!isPlainObject(value) || !Object.values(value).every((each) => isPlainObject(each)))
    throw invalidInput(argument, 'an object with one object for each provider', value);
}

/** Throws `INVALID_INPUT` unless the value is an AI SDK model of version v3 or v4 with this method. */
export function assertAiSdkModel(value: unknown, method: 'doGenerate' | 'doEmbed', owner: string): void {
  const kind = method === 'doGenerate' ? 'a language model' : 'an embedding model';
  const expected = `${kind} of an AI SDK provider`;
  if (typeof value === 'string') {
    throw new TholeError(
      'INVALID_INPUT',
      `${owner} takes ${expected}, got a string. Create the model with its provider, such as anthropic('…').`,
    );
  }
  const model = value as { [member: string]: unknown } | null | undefined;
  if ((typeof value !== 'object' && typeof value !== 'function') || typeof model?.[method] !== 'function')
    throw new TholeError('INVALID_INPUT', `${owner} takes ${expected}, got ${typeName(value)}.`);
  const version = model['specificationVersion'];
  if (version !== 'v3' && version !== 'v4') {
    const got = typeof version === 'string' && /^v\d+$/.test(version) ? version : typeName(version);
    throw new TholeError(
      'INVALID_INPUT',
      `${owner} takes models of specification v3 or v4 (AI SDK 6 or newer), got ${got}. Update the provider's package.`,
    );
  }
  for (const member of ['provider', 'modelId']) {
    if (typeof model[member] !== 'string' || model[member] === '')
      throw new TholeError('INVALID_INPUT', `The model of ${owner} has no ${member}.`);
  }
}

/** Returns the endpoint of a model. The prefix `ai-sdk:` distinguishes it from the endpoints of Thole's other providers. */
export function endpointOf(provider: string, name: string | undefined): Endpoint {
  return { name: name ?? `ai-sdk:${provider}` };
}

/** Merges provider options. Members in `more` replace members of the same provider. */
export function mergeProviderOptions(
  options: AiSdkProviderOptions | undefined,
  more: AiSdkProviderOptions | undefined,
): { [provider: string]: JsonObject } | undefined {
  if (!options && !more) return undefined;
  const merged: { [provider: string]: JsonObject } = { ...options };
  for (const [provider, members] of Object.entries(more ?? {}))
    setOwn(merged, provider, { ...getOwn(merged, provider), ...members });
  return merged;
}
