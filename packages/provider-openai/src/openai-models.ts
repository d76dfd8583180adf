import { TholeError } from '@thole/core';
import { connectionOptionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { ModelFactory } from '@thole/core';
import { OpenAi } from './openai-llm.ts';
import type { OpenAiEnvOptions } from './openai-llm.ts';
import { assertText, OWN_NAMES } from './openai-options.ts';

/** How the models are reached: as `OpenAi.fromEnv` takes it. */
export type OpenAiModelsOptions = OpenAiEnvOptions & {
  /** Models are called `<prefix>/<name>`, and by this alone: for compatible servers. */
  prefix?: string | undefined;
};

/**
 * Makes models by name, for a runner's `models`: `gpt-…`, `o1`, `o3-mini` … and `openai/<any>`; with a prefix `<prefix>/<any>`
 * alone. The prefix is no part of the name that the server is asked for. What is not given comes from the environment, except
 * that a server of its own `baseUrl` under a prefix is not sent OpenAI's key.
 */
export function openAiModels(options: OpenAiModelsOptions = {}): ModelFactory {
  const { prefix, ...connection } = options;
  assertText(prefix, 'prefix of openAiModels');
  if (prefix?.includes('/')) throw new TholeError('INVALID_INPUT', 'prefix of openAiModels must not hold a slash.');
  rejectUnknownOptions(connection, KNOWN, 'openAiModels');
  const before = `${prefix ?? 'openai'}/`;
  const isOwn = (name: string): boolean => prefix === undefined && /^(gpt-|o\d)/.test(name);
  const asked = prefix !== undefined && connection.baseUrl !== undefined ? { env: {}, ...connection } : connection;
  return {
    patterns: prefix === undefined ? ['gpt-*', 'o[0-9]*', 'openai/*'] : [`${before}*`],
    supports: (name) => isOwn(name) || (name.startsWith(before) && name.length > before.length),
    create: (name) => OpenAi.fromEnv(name.startsWith(before) ? name.slice(before.length) : name, asked),
  };
}

const KNOWN = [...connectionOptionNames, ...OWN_NAMES, 'api', 'env'];
