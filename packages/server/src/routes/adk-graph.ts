import type { AgentGraph } from './agent-graph.ts';

/** An agent as ADK's web UI reads it, which goes by names in snake case. */
export interface AdkGraph {
  name: string;
  type?: string | undefined;
  description?: string | undefined;
  tools?: { name: string; type: 'tool' }[] | undefined;
  sub_agents?: AdkGraph[] | undefined;
}

/** The same tree for ADK's web UI; lists that are empty are left out, since it takes any list for something to open. */
export function adkGraphOf({ name, type, description, tools, subAgents }: AgentGraph): AdkGraph {
  return {
    name,
    ...(type !== undefined && { type }),
    ...(description !== '' && { description }),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ name: tool.name, type: 'tool' as const })) }),
    ...(subAgents.length > 0 && { sub_agents: subAgents.map(adkGraphOf) }),
  };
}
