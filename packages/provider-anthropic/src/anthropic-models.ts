import { TholeError } from '@thole/core';
import { connectionOptionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { ModelFactory } from '@thole/core';
import { Anthropic } from './anthropic-llm.ts';
import type { AnthropicEnvOptions } from './anthropic-llm.ts';
import { ownOptionNames } from './anthropic-options.ts';

const PREFIX = 'anthropic/';
const knownOptions = [...connectionOptionNames, ...ownOptionNames, 'env'];

/**
 * Returns a factory for Claude models (`claude-…`, or `anthropic/` and any name) for a runner's `models`. Missing
 * options are read from the environment when a model is created; throws `INVALID_INPUT` if the key is missing. Unknown
 * options are rejected at once.
 */
export function anthropicModels(options: AnthropicEnvOptions = {}): ModelFactory {
  rejectUnknownOptions(options, knownOptions, 'anthropicModels');
  const patterns = ['claude-*', 'anthropic/*'];
  const supports = (name: string): boolean => /^(claude-|anthropic\/)./.test(name);
  return {
    patterns,
    supports,
    create: (name) => {
      if (!supports(name))
        throw new TholeError(
          'MODEL_UNKNOWN',
          `anthropicModels does not know the model ${name}. It knows ${patterns.join(', ')}.`,
        );
      return Anthropic.fromEnv(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name, options);
    },
  };
}
