import type { EnvVars, ModelFactory, Runtime } from '@thole/core';
import { loadPackage } from '@thole/services/kit';

const PACKAGE = '@thole/provider-anthropic';

/**
 * Returns a factory for Claude models. Their package is optional, because Anthropic's SDK is large: without it, the
 * factory knows the names, and a model throws `DRIVER_MISSING` with the command that installs it.
 */
export async function anthropicFactory(options: { env: EnvVars; runtime: Runtime }): Promise<ModelFactory> {
  try {
    const { anthropicModels } = await loadPackage(PACKAGE, () => import('@thole/provider-anthropic'));
    return anthropicModels(options);
  } catch (error) {
    return missingFactory(error);
  }
}

/** True for the names of Claude models. */
export function isAnthropicName(name: string): boolean {
  return /^(claude-|anthropic\/)./.test(name);
}

/** Returns a factory that knows the names of Claude models and throws the error for each. */
export function missingFactory(error: unknown): ModelFactory {
  return {
    patterns: ['claude-*', 'anthropic/*'],
    supports: isAnthropicName,
    create: () => {
      throw error;
    },
  };
}
