import { connectionOptionNames, createModelFactory, rejectUnknownOptions } from '@thole/core/kit';
import type { ModelFactory } from '@thole/core';
import { Anthropic } from './anthropic-llm.ts';
import type { AnthropicEnvOptions } from './anthropic-llm.ts';
import { ownOptionNames } from './anthropic-options.ts';

const knownOptions = [...connectionOptionNames, ...ownOptionNames, 'env'];

/**
 * Returns a factory for Claude models (`claude-…`, or `anthropic/` and any name) for a runner's `models`. Missing
 * options are read from the environment when a model is created; throws `INVALID_INPUT` if the key is missing. Unknown
 * options are rejected at once.
 */
export function anthropicModels(options: AnthropicEnvOptions = {}): ModelFactory {
  rejectUnknownOptions(options, knownOptions, 'anthropicModels');
  return createModelFactory({
    owner: 'anthropicModels',
    patterns: ['claude-*', 'anthropic/*'],
    prefix: 'anthropic/',
    isOwnName: (name) => /^claude-./.test(name),
    create: (name) => Anthropic.fromEnv(name, options),
  });
}
