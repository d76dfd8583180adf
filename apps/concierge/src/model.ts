import type { EnvVars, Llm, Runtime } from '@thole/core';
import { TholeError } from '@thole/core';
import { anthropicModels } from '@thole/provider-anthropic';
import { geminiModels } from '@thole/provider-gemini';
import { openAiModels } from '@thole/provider-openai';
import { DemoLlm } from '../demo-model/demo-llm.ts';
import { factToKeep } from '../demo-model/fact-to-keep.ts';

export interface ChosenModel {
  llm: Llm;
  /** True for the rule-based demo model, which cannot extract facts. */
  isDemo: boolean;
  /** Returns the words in which a note is stored. */
  wordNote: (fact: string) => string;
  /** Shown to the guest at the start. */
  notice: string;
}

const GEMINI = 'gemini/gemini-3.8-flash';
const OPENAI = 'openai/gpt-5.5';
const ANTHROPIC = 'anthropic/claude-sonnet-5-5';

/**
 * Returns the model that `THOLE_MODEL` names, otherwise Gemini, OpenAI or Claude if the environment has a key or a server for it,
 * otherwise the offline demo model. Throws `INVALID_INPUT` for an unknown `THOLE_MODEL` and for a missing key.
 */
export function chooseModel(p: { runtime: Runtime; env: EnvVars; wordDelayMs?: number | undefined }): ChosenModel {
  const { runtime, env, wordDelayMs } = p;
  const isSet = (name: string): boolean => (env[name] ?? '').trim() !== '';
  const name = env['THOLE_MODEL']?.trim();
  if (name) return makeModel(name, p);
  if (['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'].some(isSet)) return makeModel(GEMINI, p);
  if (['OPENAI_API_KEY', 'OPENAI_BASE_URL'].some(isSet)) return makeModel(OPENAI, p);
  if (isSet('ANTHROPIC_API_KEY')) return makeModel(ANTHROPIC, p);
  return {
    llm: new DemoLlm({ runtime, wordDelayMs }),
    isDemo: true,
    wordNote: factToKeep,
    notice:
      'DemoLlm is speaking: an offline demo model that follows simple rules. It calls the real tools and knows only their answers and memory.',
  };
}

function makeModel(name: string, { env, runtime }: { env: EnvVars; runtime: Runtime }): ChosenModel {
  const factories = [geminiModels, openAiModels, anthropicModels].map((create) => create({ env, runtime }));
  const factory = factories.find((each) => each.supports(name));
  if (!factory || !name.includes('/'))
    throw new TholeError('INVALID_INPUT', 'THOLE_MODEL must be gemini/<name>, openai/<name> or anthropic/<name>.');
  return {
    llm: factory.create(name),
    isDemo: false,
    wordNote: (fact) => fact,
    notice: `${name} is speaking. THOLE_MODEL=gemini/<name>, openai/<name> or anthropic/<name> chooses another model.`,
  };
}
