import type { Agent, AgentTree } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';
import { isLlmAgent } from './is-llm-agent.ts';

/**
 * Returns the agents to which the agent may transfer: its sub-agents, and its parent and siblings, unless that is
 * disabled or the parent is not an `LlmAgent`.
 */
export function transferTargets(agent: LlmAgent, tree: AgentTree): readonly Agent[] {
  const parent = tree.parentOf(agent);
  if (!isLlmAgent(parent)) return agent.subAgents;
  const targets = [...agent.subAgents];
  if (!agent.disallowTransferToParent) targets.push(parent);
  if (!agent.disallowTransferToPeers) targets.push(...parent.subAgents.filter((peer) => peer.name !== agent.name));
  return targets;
}
