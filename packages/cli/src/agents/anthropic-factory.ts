import type { EnvVars, ModelFactory, Runtime } from '@thole/core';
import { loadPackage } from '@thole/services/kit';

const PACKAGE = '@thole/provider-anthropic';

/**
 * Returns a factory for Claude models. Their package is optional, because Anthropic's SDK is large. Without the package, the
 * factory supports the same names, but its `create` throws `DRIVER_MISSING` with the command that installs the package.
 */
export async function anthropicFactory(options: { env: EnvVars; runtime: Runtime }): Promise<ModelFactory> {
  try {
    const { anthropicModels } = await loadPackage(PACKAGE, () => import('@thole/provider-anthropic'));
    return anthropicModels(options);
  } catch (error) {
    return createFailingFactory(error);
  }
}

/** True for the names of Claude models. */
export function isAnthropicName(name: string): boolean {
  return /^(claude-|anthropic\/)./.test(name);
}

/** Returns a factory that supports the names of Claude models and throws `error` when it creates one. */
export function createFailingFactory(error: unknown): ModelFactory {
  return {
    patterns: ['claude-*', 'anthropic/*'],
    supports: isAnthropicName,
    create: () => {
      throw error;
    },
  };
}
