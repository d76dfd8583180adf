import { TholeError } from '@thole/core';
import { connectionOptionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { ModelFactory } from '@thole/core';
import { OpenAi } from './openai-llm.ts';
import type { OpenAiEnvOptions } from './openai-llm.ts';
import { assertText, ownOptionNames } from './openai-options.ts';

/** Options of `openAiModels`: those of `OpenAi.fromEnv`, and a prefix. */
export type OpenAiModelsOptions = OpenAiEnvOptions & {
  /** Names the models `<prefix>/<name>`, and only so: for compatible servers. */
  prefix?: string | undefined;
};

/**
 * Returns a factory for models by name, for a runner's `models`: `gpt-…`, `o1`, `o3-mini` … and `openai/<any>`; with
 * a prefix only `<prefix>/<any>`. The prefix is not sent to the server. Missing options are read from the
 * environment. A server with its own `baseUrl` under a prefix does not receive OpenAI's key.
 */
export function openAiModels(options: OpenAiModelsOptions = {}): ModelFactory {
  const { prefix, ...connection } = options;
  assertText(prefix, 'prefix of openAiModels');
  if (prefix?.includes('/')) throw new TholeError('INVALID_INPUT', 'prefix of openAiModels must not contain a slash.');
  rejectUnknownOptions(connection, knownOptions, 'openAiModels');
  const before = `${prefix ?? 'openai'}/`;
  const isOwn = (name: string): boolean => prefix === undefined && /^(gpt-|o\d)/.test(name);
  const asked = prefix !== undefined && connection.baseUrl !== undefined ? { env: {}, ...connection } : connection;
  return {
    patterns: prefix === undefined ? ['gpt-*', 'o[0-9]*', 'openai/*'] : [`${before}*`],
    supports: (name) => isOwn(name) || (name.startsWith(before) && name.length > before.length),
    create: (name) => OpenAi.fromEnv(name.startsWith(before) ? name.slice(before.length) : name, asked),
  };
}

const knownOptions = [...connectionOptionNames, ...ownOptionNames, 'api', 'env'];
