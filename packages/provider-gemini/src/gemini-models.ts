import type { ModelFactory } from '@thole/core';
import { Gemini } from './gemini-llm.ts';
import type { GeminiOptions } from './gemini-llm.ts';

/** Makes Gemini's models by name, `gemini-…`; for a runner's `models`. */
export function geminiModels(options: Omit<GeminiOptions, 'model'>): ModelFactory {
  return {
    patterns: ['gemini-*'],
    supports: (model) => model.startsWith('gemini-'),
    create: (model) => new Gemini({ ...options, model }),
  };
}
