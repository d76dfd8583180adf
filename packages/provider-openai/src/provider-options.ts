import type { JsonObject, LlmRequest } from '@thole/core';
import type { RequestTarget } from './openai-options.ts';

/** The caller's `providerOptions` for a server, separated from the two that this package reads itself. */
export interface ReadOptions {
  readonly strict: boolean | undefined;
  readonly strictTools: boolean;
  /** Merged into the request. */
  readonly options: JsonObject;
}

/**
 * Reads the options under the provider's name. Options under `openai` are for OpenAI and Azure: for another server
 * only `strict` and `strictTools` are used, and the others are reported as left out.
 */
export function readProviderOptions({ providerOptions = {} }: LlmRequest, target: RequestTarget): ReadOptions {
  const ownOptions = providerOptions[target.provider];
  const { strict, strictTools = strict, ...options } = ownOptions ?? providerOptions['openai'] ?? {};
  const isForeign = ownOptions === undefined && target.provider !== 'openai';
  if (isForeign) for (const name of Object.keys(options)) target.leaveOut?.(`providerOptions.openai.${name}`);
  return {
    strict: typeof strict === 'boolean' ? strict : undefined,
    strictTools: strictTools === true,
    options: isForeign ? {} : options,
  };
}
