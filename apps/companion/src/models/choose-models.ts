import type { Embedder, EnvVars, Llm, ModelFactory, Runtime } from '@thole/core';
import { TholeError } from '@thole/core';
import { DemoLlm } from '../../demo-model/demo-llm.ts';
import type { CompanionConfig } from '../config/companion-config.ts';

/** The models of a configuration. */
export interface Models {
  agent: Llm;
  /** Extracts facts, writes profiles and proposes memories. Undefined for the demo model, which cannot do this. */
  memory: Llm | undefined;
  /** Undefined: memories are ranked by words. */
  embedder: Embedder | undefined;
  /** Shown at the start. */
  notice: string;
}

interface ModelContext {
  env: EnvVars;
  runtime: Runtime;
}

const DEFAULT_LLMS: { readonly [provider: string]: string } = {
  gemini: 'gemini/gemini-3.8-flash',
  openai: 'openai/gpt-5.5',
  anthropic: 'anthropic/claude-sonnet-5-5',
};
const DEFAULT_EMBEDDERS = { gemini: 'gemini-embedding-2', openai: 'text-embedding-3-small' } as const;

const KEYS: { readonly [provider: string]: readonly string[] } = {
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  anthropic: ['ANTHROPIC_API_KEY'],
};

/**
 * Returns the models that a configuration names. A missing name selects the provider whose key is in the environment, Gemini first,
 * and without a key the offline demo model. Throws `INVALID_INPUT` if the key of a named provider is missing. The SDK of a provider
 * is loaded only if it is used.
 */
export async function chooseModels(config: CompanionConfig, p: ModelContext): Promise<Models> {
  const name = config.model ?? defaultName(p.env);
  const agent = name === undefined ? new DemoLlm() : await createLlm(name, p);
  const { llm } = config.memory;
  return {
    agent,
    memory: llm === undefined ? (name === undefined ? undefined : agent) : await createLlm(DEFAULT_LLMS[llm] ?? llm, p),
    embedder: await chooseEmbedder(config.memory.embedder, p),
    notice:
      name === undefined
        ? 'The model is DemoLlm, an offline demo model that follows simple rules. Set GEMINI_API_KEY for a language model.'
        : `The model is ${name}.`,
  };
}

function defaultName(env: EnvVars): string | undefined {
  const provider = Object.keys(KEYS).find((each) => hasKey(each, env));
  return provider === undefined ? undefined : DEFAULT_LLMS[provider];
}

function hasKey(provider: string, env: EnvVars): boolean {
  return KEYS[provider]!.some((name) => (env[name] ?? '').trim() !== '');
}

async function createLlm(name: string, p: ModelContext): Promise<Llm> {
  return (await loadFactory(name, p)).create(name);
}

async function loadFactory(name: string, { env, runtime }: ModelContext): Promise<ModelFactory> {
  switch (name.slice(0, name.indexOf('/'))) {
    case 'gemini':
      return (await import('@thole/provider-gemini')).geminiModels({ env, runtime });
    case 'openai':
      return (await import('@thole/provider-openai')).openAiModels({ env, runtime });
    case 'anthropic':
      return (await import('@thole/provider-anthropic')).anthropicModels({ env, runtime });
    default:
      throw new TholeError('INVALID_INPUT', `There is no provider of the model "${name}".`);
  }
}

async function chooseEmbedder(name: string | undefined, { env, runtime }: ModelContext): Promise<Embedder | undefined> {
  const spec = name ?? (hasKey('gemini', env) ? 'gemini' : 'none');
  const [provider, ...rest] = spec.split('/');
  const model = rest.join('/');
  if (provider === 'gemini') {
    const { GeminiEmbedder } = await import('@thole/provider-gemini');
    return GeminiEmbedder.fromEnv(model || DEFAULT_EMBEDDERS.gemini, { env, runtime });
  }
  if (provider === 'openai') {
    const { OpenAiEmbedder } = await import('@thole/provider-openai');
    return OpenAiEmbedder.fromEnv(model || DEFAULT_EMBEDDERS.openai, { env, runtime });
  }
  return undefined;
}
