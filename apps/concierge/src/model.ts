import type { EnvVars, Llm, ModelFactory, Runtime } from '@thole/core';
import { TholeError } from '@thole/core';
import { geminiModels } from '@thole/provider-gemini';
import { openAiModels } from '@thole/provider-openai';
import { DemoLlm } from './demo-llm.ts';

export interface ChosenModel {
  llm: Llm;
  /** Whether it follows rules and is no language model: it cannot draw facts from what was said. */
  isDemo: boolean;
  /** What the guest is told about it. */
  notice: string;
}

const GEMINI = 'gemini/gemini-3.8-flash';
const OPENAI = 'openai/gpt-5.5';

/**
 * The model that speaks for the concierge: the one that `THOLE_MODEL` names, else Gemini's or OpenAI's where the environment has
 * a key or a server for it, else the offline one. `INVALID_INPUT` for a `THOLE_MODEL` that names none, and for a missing key.
 */
export function chooseModel(p: { runtime: Runtime; env: EnvVars; wordDelayMs?: number | undefined }): ChosenModel {
  const { runtime, env, wordDelayMs } = p;
  const isThere = (name: string): boolean => (env[name] ?? '').trim() !== '';
  const named = env['THOLE_MODEL']?.trim();
  if (named) return makeModel(named, p);
  if (['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'].some(isThere)) return makeModel(GEMINI, p);
  if (['OPENAI_API_KEY', 'OPENAI_BASE_URL'].some(isThere)) return makeModel(OPENAI, p);
  return {
    llm: new DemoLlm({ runtime, wordDelayMs }),
    isDemo: true,
    notice:
      'DemoLlm is speaking: an offline demo model that follows simple rules. It calls the real tools and knows only what they and memory tell it.',
  };
}

const providers: { readonly [prefix: string]: (p: { env: EnvVars; runtime: Runtime }) => ModelFactory } = {
  gemini: geminiModels,
  openai: openAiModels,
};

function makeModel(name: string, { env, runtime }: { env: EnvVars; runtime: Runtime }): ChosenModel {
  const prefix = name.slice(0, Math.max(name.indexOf('/'), 0));
  const factory = Object.hasOwn(providers, prefix) ? providers[prefix]!({ env, runtime }) : undefined;
  if (!factory?.supports(name))
    throw new TholeError('INVALID_INPUT', 'THOLE_MODEL must be gemini/<name> or openai/<name>.');
  return {
    llm: factory.create(name),
    isDemo: false,
    notice: `${name} is speaking. THOLE_MODEL=gemini/<name> or openai/<name> chooses another model.`,
  };
}
