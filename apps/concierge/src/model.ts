import type { EnvVars, Llm, Runtime } from '@thole/core';
import { TholeError } from '@thole/core';
import { anthropicModels } from '@thole/provider-anthropic';
import { geminiModels } from '@thole/provider-gemini';
import { openAiModels } from '@thole/provider-openai';
import { DemoLlm } from '../demo-model/demo-llm.ts';
import { toStoredFact } from '../demo-model/to-stored-fact.ts';

/** The model of the concierge. */
export interface ChosenModel {
  llm: Llm;
  /** True for the rule-based demo model, which cannot extract facts. */
  isDemo: boolean;
  /** Returns the text that is stored for a note of the guest. */
  wordNote: (fact: string) => string;
  /** Shown to the guest at the start. */
  notice: string;
}

const GEMINI = 'gemini/gemini-3.8-flash';
const OPENAI = 'openai/gpt-5.5';
const ANTHROPIC = 'anthropic/claude-sonnet-5-5';

/**
 * Returns the model that `THOLE_MODEL` names, otherwise Gemini, OpenAI or Claude, the first with a key or a server in the
 * environment, otherwise the offline demo model. Throws `INVALID_INPUT` for an unknown `THOLE_MODEL` and for a missing key.
 */
export function chooseModel(p: { runtime: Runtime; env: EnvVars; wordDelayMs?: number | undefined }): ChosenModel {
  const { runtime, env, wordDelayMs } = p;
  const isSet = (name: string): boolean => (env[name] ?? '').trim() !== '';
  const name = env['THOLE_MODEL']?.trim();
  if (name) return createModel(name, p);
  if (['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'].some(isSet)) return createModel(GEMINI, p);
  if (['OPENAI_API_KEY', 'OPENAI_BASE_URL'].some(isSet)) return createModel(OPENAI, p);
  if (isSet('ANTHROPIC_API_KEY')) return createModel(ANTHROPIC, p);
  return {
    llm: new DemoLlm({ runtime, wordDelayMs }),
    isDemo: true,
    wordNote: toStoredFact,
    notice:
      'The model is DemoLlm, an offline demo model that follows simple rules. It calls the real tools and knows only their answers and memory.',
  };
}

function createModel(name: string, { env, runtime }: { env: EnvVars; runtime: Runtime }): ChosenModel {
  const factories = [geminiModels, openAiModels, anthropicModels].map((create) => create({ env, runtime }));
  const factory = factories.find((each) => each.supports(name));
  if (!factory || !name.includes('/'))
    throw new TholeError('INVALID_INPUT', 'THOLE_MODEL must be gemini/<name>, openai/<name> or anthropic/<name>.');
  return {
    llm: factory.create(name),
    isDemo: false,
    wordNote: (fact) => fact,
    notice: `The model is ${name}. THOLE_MODEL=gemini/<name>, openai/<name> or anthropic/<name> selects another model.`,
  };
}
