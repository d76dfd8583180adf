import { TholeError } from '@thole/core';
import type { AgentTree, ModelFactory } from '@thole/core';
import { findModel, noModelError } from '../request/find-model.ts';
import type { LlmAgent } from './llm-agent.ts';

/**
 * Throws `INVALID_INPUT` if neither the agent nor an agent above it has a model, and `MODEL_UNKNOWN` if no factory
 * supports the name.
 */
export function assertModel(agent: LlmAgent, p: { models: readonly ModelFactory[]; tree: AgentTree }): void {
  const model = findModel(agent, p.tree);
  if (model === undefined) {
    throw noModelError(agent);
  }
  if (typeof model !== 'string' || p.models.some((factory) => factory.supports(model))) return;
  const patterns = p.models.flatMap((factory) => factory.patterns);
  throw new TholeError(
    'MODEL_UNKNOWN',
    `Agent ${agent.name}: no model factory accepts ${JSON.stringify(model)}; ` +
      (patterns.length > 0
        ? `the factories accept ${patterns.join(', ')}. Add the factory of another provider to \`models\`, or pass a model object.`
        : 'the runner has no `models`. Pass `models: [openAiModels()]` or the factory of another provider, or a model object.'),
  );
}
