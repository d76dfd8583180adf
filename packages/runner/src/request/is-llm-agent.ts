import type { Agent } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';

/** Marks an `LlmAgent`. All copies of this package share the symbol. */
export const llmAgentBrand: unique symbol = Symbol.for('thole.llm-agent');

/** True if the agent is an `LlmAgent`, also from another copy of this package. */
export function isLlmAgent(agent: Agent | undefined): agent is LlmAgent {
  return agent !== undefined && (agent as { [llmAgentBrand]?: unknown })[llmAgentBrand] === true;
}
