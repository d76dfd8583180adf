import type { Agent } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';

/** Marks an `LlmAgent`, also one made by another copy of this package. */
export const llmAgentBrand: unique symbol = Symbol.for('thole.llm-agent');

/** Whether a model speaks for this agent. */
export function isLlmAgent(agent: Agent | undefined): agent is LlmAgent {
  return agent !== undefined && (agent as { [llmAgentBrand]?: unknown })[llmAgentBrand] === true;
}
