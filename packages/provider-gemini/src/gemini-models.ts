import { TholeError } from '@thole/core';
import { connectionOptionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { EnvVars, ModelFactory } from '@thole/core';
import { Gemini } from './gemini-llm.ts';
import type { GeminiOptions } from './gemini-llm.ts';
import { geminiOptionNames } from './gemini-options.ts';

const PREFIX = 'gemini/';
const knownOptions = [...connectionOptionNames, ...geminiOptionNames, 'env'];

/**
 * Returns a factory for Gemini's models (`gemini-…`, or `gemini/` and any name) for a runner's `models`. Missing
 * options are read from the environment when a model is created; throws `INVALID_INPUT` if the key is missing. Unknown
 * options are rejected at once.
 */
export function geminiModels(options: Omit<GeminiOptions, 'model'> & { env?: EnvVars | undefined } = {}): ModelFactory {
  rejectUnknownOptions(options, knownOptions, 'geminiModels');
  const patterns = ['gemini-*', 'gemini/*'];
  const supports = (name: string): boolean => /^gemini[-/]./.test(name);
  return {
    patterns,
    supports,
    create: (name) => {
      if (!supports(name))
        throw new TholeError(
          'MODEL_UNKNOWN',
          `geminiModels does not know the model ${name}. It knows ${patterns.join(', ')}.`,
        );
      return Gemini.fromEnv(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name, options);
    },
  };
}
