import { TholeError } from '@thole/core';
import { connectionOptionNames, createModelFactory, rejectUnknownOptions } from '@thole/core/kit';
import type { ModelFactory } from '@thole/core';
import { OpenAi } from './openai-llm.ts';
import type { OpenAiEnvOptions } from './openai-llm.ts';
import { assertText, ownOptionNames } from './openai-options.ts';

/** Options of `openAiModels`: those of `OpenAi.fromEnv`, and a prefix. */
export type OpenAiModelsOptions = OpenAiEnvOptions & {
  /** Supports only names of the form `<prefix>/<name>`, for a compatible server. Default: OpenAI's names and `openai/<name>`. */
  prefix?: string | undefined;
};

/**
 * Returns a factory for models by name, for a runner's `models`: `gpt-…`, `o1`, `o3-mini` … and `openai/<any>`; with
 * a prefix only `<prefix>/<any>`. The prefix is not sent to the server. Missing options are read from the
 * environment. With a prefix and a `baseUrl`, the environment of the process is not read, so that the server does not receive OpenAI's key.
 */
export function openAiModels(options: OpenAiModelsOptions = {}): ModelFactory {
  const { prefix, ...connection } = options;
  assertText(prefix, 'prefix of openAiModels');
  if (prefix?.includes('/')) throw new TholeError('INVALID_INPUT', 'prefix of openAiModels must not contain a slash.');
  rejectUnknownOptions(connection, knownOptions, 'openAiModels');
  const pathPrefix = `${prefix ?? 'openai'}/`;
  const modelOptions =
    prefix !== undefined && connection.baseUrl !== undefined ? { env: {}, ...connection } : connection;
  return createModelFactory({
    owner: 'openAiModels',
    patterns: prefix === undefined ? ['gpt-*', 'o[0-9]*', 'openai/*'] : [`${pathPrefix}*`],
    prefix: pathPrefix,
    isOwnName: (name) => prefix === undefined && /^(gpt-|o\d)/.test(name),
    create: (name) => OpenAi.fromEnv(name, modelOptions),
  });
}

const knownOptions = [...connectionOptionNames, ...ownOptionNames, 'api', 'env'];
