import type { Agent, AgentTree } from '@thole/core';
import type { LlmAgent } from '../agents/llm-agent.ts';
import { isLlmAgent } from './is-llm-agent.ts';

/**
 * To whom the agent may hand over: those below it; the one above it and that one's others, unless that is ruled out or
 * the one above follows a plan of its own instead of a model.
 */
export function transferTargets(agent: LlmAgent, tree: AgentTree): readonly Agent[] {
  const parent = tree.parentOf(agent);
  if (!isLlmAgent(parent)) return agent.subAgents;
  const targets = [...agent.subAgents];
  if (!agent.disallowTransferToParent) targets.push(parent);
  if (!agent.disallowTransferToPeers) targets.push(...parent.subAgents.filter((peer) => peer.name !== agent.name));
  return targets;
}
