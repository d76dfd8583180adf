import { TholeError } from '@thole/core';
import { invalidInput, isPlainObject, optionNames } from '@thole/core/kit';
import type { ModelFactory } from '@thole/core';
import { AiSdkLlm } from './ai-sdk-llm.ts';
import type { AiSdkLlmOptions } from './ai-sdk-llm.ts';
import { assertAiSdkOptions } from './ai-sdk-options.ts';
import type { AiSdkConnectionOptions, AiSdkLanguageModel } from './ai-sdk-options.ts';

/** An AI SDK provider: a function from a name to a language model, or an object with the method `languageModel`. */
export type AiSdkProvider =
  | ((name: string) => AiSdkLanguageModel)
  | { languageModel(name: string): AiSdkLanguageModel };

const ownOptionNames = optionNames<Omit<AiSdkLlmOptions, keyof AiSdkConnectionOptions | 'models'>>({
  providerTools: true,
  endpoint: true,
});

/**
 * Returns a factory for models by name, for a runner's `models`: `<key>/<name>` is the model of the provider under
 * this key, such as `anthropic/claude-sonnet-4-5` for `aiSdkModels({ anthropic })`. The key is not sent to the provider. Throws
 * `INVALID_INPUT` for wrong options, a value that is not a provider, and a key with a slash.
 */
export function aiSdkModels(
  providers: { readonly [key: string]: AiSdkProvider },
  options: Omit<AiSdkLlmOptions, 'models'> = {},
): ModelFactory {
  assertProviders(providers);
  assertAiSdkOptions(options, ownOptionNames, 'aiSdkModels');
  const resolve = (name: string): { provider: AiSdkProvider; model: string } | undefined => {
    const slash = name.indexOf('/');
    const key = name.slice(0, slash);
    const model = name.slice(slash + 1);
    return slash > 0 && model !== '' && Object.hasOwn(providers, key)
      ? { provider: providers[key]!, model }
      : undefined;
  };
  return {
    patterns: Object.keys(providers).map((key) => `${key}/*`),
    supports: (name) => resolve(name) !== undefined,
    create: (name) => {
      const resolved = resolve(name);
      if (!resolved) throw new TholeError('MODEL_UNKNOWN', `aiSdkModels has no provider for the model ${name}.`);
      const { provider, model } = resolved;
      const models = (each: string): AiSdkLanguageModel =>
        typeof provider === 'function' ? provider(each) : provider.languageModel(each);
      return new AiSdkLlm(models(model), { ...options, models });
    },
  };
}

function assertProviders(providers: unknown): void {
  if (!isPlainObject(providers)) throw invalidInput('providers of aiSdkModels', 'an object of providers', providers);
  for (const [key, provider] of Object.entries(providers)) {
    if (key === '' || key.includes('/'))
      throw new TholeError('INVALID_INPUT', 'A key of aiSdkModels must be a name without a slash.');
    const { languageModel } = (provider ?? {}) as { languageModel?: unknown };
    if (typeof provider !== 'function' && typeof languageModel !== 'function')
      throw invalidInput(`providers.${key} of aiSdkModels`, 'a provider of the AI SDK', provider);
  }
}
