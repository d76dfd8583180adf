import { connectionOptionNames, createModelFactory, rejectUnknownOptions } from '@thole/core/kit';
import type { EnvVars, ModelFactory } from '@thole/core';
import { Gemini } from './gemini-llm.ts';
import type { GeminiOptions } from './gemini-llm.ts';
import { geminiOptionNames } from './gemini-options.ts';

const knownOptions = [...connectionOptionNames, ...geminiOptionNames, 'env'];

/**
 * Returns a factory for Gemini's models (`gemini-…`, or `gemini/` and any name) for a runner's `models`. Missing
 * options are read from the environment when a model is created; throws `INVALID_INPUT` if the key is missing. Unknown
 * options are rejected at once.
 */
export function geminiModels(options: Omit<GeminiOptions, 'model'> & { env?: EnvVars | undefined } = {}): ModelFactory {
  rejectUnknownOptions(options, knownOptions, 'geminiModels');
  return createModelFactory({
    owner: 'geminiModels',
    patterns: ['gemini-*', 'gemini/*'],
    prefix: 'gemini/',
    isOwnName: (name) => /^gemini-./.test(name),
    create: (name) => Gemini.fromEnv(name, options),
  });
}
