import { geminiModels } from '@thole/provider-gemini';
import { openAiModels } from '@thole/provider-openai';
import { isAnthropicName } from '../agents/anthropic-factory.ts';
import { usageError } from '../options/usage-error.ts';
import type { ModelChoice } from './project-files.ts';

/** Providers that `thole create` offers, with their default models. */
export const choices: readonly (ModelChoice & { readonly label: string })[] = [
  { provider: 'demo', model: 'demo', label: 'Demo model with a few rules: no key, no network' },
  { provider: 'gemini', model: 'gemini-3.8-flash', label: 'Gemini: needs GEMINI_API_KEY' },
  { provider: 'openai', model: 'gpt-5.5', label: 'OpenAI or a compatible server: needs OPENAI_API_KEY' },
  { provider: 'anthropic', model: 'claude-sonnet-5-5', label: 'Claude of Anthropic: needs ANTHROPIC_API_KEY' },
];

/** Returns the provider and model of `--model`, which is a provider or the name of a model. */
export function modelChoiceOf(text: string): ModelChoice {
  const choice = choices.find(({ provider }) => provider === text);
  if (choice) return choice;
  if (!/^[\w./:@-]+$/.test(text)) throw usageError('--model must be the name of a model.');
  if (geminiModels({ env: {} }).supports(text)) return { provider: 'gemini', model: text };
  if (openAiModels({ env: {} }).supports(text)) return { provider: 'openai', model: text };
  if (isAnthropicName(text)) return { provider: 'anthropic', model: text };
  const examples = 'gemini-3.8-flash, gpt-5.5, claude-sonnet-5-5 or openai/<any>';
  throw usageError(`--model must be demo, gemini, openai, anthropic, or a name such as ${examples}, got ${text}.`);
}
