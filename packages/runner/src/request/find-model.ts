import type { Agent, AgentTree, Llm } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';
import { isLlmAgent } from './is-llm-agent.ts';

/** Returns the agent's own model, or that of the nearest agent above that has one. */
export function findModel(agent: LlmAgent, tree: AgentTree): Llm | string | undefined {
  for (let above: Agent | undefined = agent; above; above = tree.parentOf(above)) {
    if (isLlmAgent(above) && above.model !== undefined) return above.model;
  }
  return undefined;
}
