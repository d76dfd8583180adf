import type { Agent, Tool } from '@thole/core';

/** An agent with what hangs on it, for people to look at. */
export interface AgentGraph {
  name: string;
  description: string;
  /** `LlmAgent`, `LoopAgent` …; absent for an agent that is of no class. */
  type?: string | undefined;
  /** Name of the agent's own model; absent if it uses that of an agent above, or none. */
  model?: string | undefined;
  subAgents: AgentGraph[];
  tools: ToolNode[];
}

/** A tool; one that runs an agent shows it. Toolsets are not opened. */
export interface ToolNode {
  name: string;
  description: string;
  agent?: AgentGraph | undefined;
}

/** The agents and tools below an agent. */
export function agentGraphOf(agent: Agent, above: readonly Agent[] = []): AgentGraph {
  const { name, description = '', subAgents = [] } = agent;
  const type = agent.constructor.name;
  const way = [...above, agent];
  return {
    ...{ name, description, ...(type !== 'Object' && { type }), ...modelOf(agent) },
    subAgents: subAgents.map((each) => agentGraphOf(each, way)),
    tools: toolsOf(agent).map((tool) => toolNode(tool, way)),
  };
}

function modelOf(agent: Agent): { model?: string } {
  const { model } = agent as { model?: unknown };
  const name = typeof model === 'object' && model !== null ? (model as { model?: unknown }).model : model;
  return typeof name === 'string' ? { model: name } : {};
}

function toolNode(tool: Partial<Tool> & { name: string; agent?: Agent }, way: readonly Agent[]): ToolNode {
  const { name, description = '', agent } = tool;
  // An agent may have itself as a tool, by way of others.
  const isShown = typeof agent?.runAsync === 'function' && !way.includes(agent);
  return { name, description, ...(isShown && { agent: agentGraphOf(agent, way) }) };
}

// Agents of a kind that the server does not know may have no list of tools.
function toolsOf(agent: Agent): (Partial<Tool> & { name: string })[] {
  const { tools } = agent as { tools?: unknown };
  return Array.isArray(tools) ? tools.filter((each): each is Tool => typeof each?.name === 'string') : [];
}
