import type { AgentGraph } from './agent-graph.ts';

/** An agent with the member names that ADK's web UI expects. */
export interface AdkGraph {
  name: string;
  type?: string | undefined;
  description?: string | undefined;
  tools?: { name: string; type: 'tool' }[] | undefined;
  sub_agents?: AdkGraph[] | undefined;
}

/**
 * Returns the graph for ADK's web UI. Empty lists are left out, because the UI shows a node that can be expanded for every list.
 */
export function toAdkGraph({ name, type, description, tools, subAgents }: AgentGraph): AdkGraph {
  return {
    name,
    ...(type !== undefined && { type }),
    ...(description !== '' && { description }),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ name: tool.name, type: 'tool' as const })) }),
    ...(subAgents.length > 0 && { sub_agents: subAgents.map(toAdkGraph) }),
  };
}
