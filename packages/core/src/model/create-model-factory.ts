import { TholeError } from '../errors/thole-error.ts';
import type { Llm } from './llm.ts';
import type { ModelFactory } from './model-factory.ts';

/** Names and models of one provider. */
export interface ProviderModels {
  /** Function that returns the factory, for messages. */
  readonly owner: string;
  readonly patterns: readonly string[];
  /** Prefix with a slash, such as `gemini/`. Any name may follow it. The prefix is not passed to `create`. */
  readonly prefix: string;
  /** True for the provider's own names, which have no prefix. */
  isOwnName(name: string): boolean;
  create(name: string): Llm;
}

/** Returns the factory of a provider's models. Its `create` throws `MODEL_UNKNOWN` for a name that it does not support. */
export function createModelFactory(models: ProviderModels): ModelFactory {
  const { owner, patterns, prefix } = models;
  const hasPrefix = (name: string): boolean => name.startsWith(prefix) && name.length > prefix.length;
  const supports = (name: string): boolean => hasPrefix(name) || models.isOwnName(name);
  return {
    patterns,
    supports,
    create: (name) => {
      if (supports(name)) return models.create(hasPrefix(name) ? name.slice(prefix.length) : name);
      throw new TholeError(
        'MODEL_UNKNOWN',
        `${owner} does not know the model ${name}. It knows ${patterns.join(', ')}.`,
      );
    },
  };
}
