import type { ModelFactory } from '@thole/core';
import { OpenAi } from './openai-llm.ts';
import type { OpenAiOptions } from './openai-llm.ts';

/** Makes OpenAi's models by name, `openai-…`; for a runner's `models`. */
export function openAiModels(options: Omit<OpenAiOptions, 'model'>): ModelFactory {
  return {
    patterns: ['openai-*'],
    supports: (model) => model.startsWith('openai-'),
    create: (model) => new OpenAi({ ...options, model }),
  };
}
