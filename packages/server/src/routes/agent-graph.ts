import type { Agent, Tool } from '@thole/core';
import { toolsOf } from './tools-of.ts';

/** An agent with its sub-agents and tools. */
export interface AgentGraph {
  name: string;
  description: string;
  /** Name of the agent's class, such as `LlmAgent`. Undefined for a plain object. */
  type?: string | undefined;
  /** Name of the agent's own model. Undefined if it has none or uses its parent's. */
  model?: string | undefined;
  subAgents: AgentGraph[];
  tools: ToolNode[];
}

/** A tool, with its agent if it runs one. A toolset is one node. */
export interface ToolNode {
  name: string;
  description: string;
  agent?: AgentGraph | undefined;
}

/** Returns the graph of an agent. `ancestors` are the agents from the root to its parent. */
export function toAgentGraph(agent: Agent, ancestors: readonly Agent[] = []): AgentGraph {
  const { name, description = '', subAgents = [] } = agent;
  const type = agent.constructor.name;
  const path = [...ancestors, agent];
  return {
    ...{ name, description, ...(type !== 'Object' && { type }), ...modelOf(agent) },
    subAgents: subAgents.map((each) => toAgentGraph(each, path)),
    tools: toolsOf(agent).map((tool) => toToolNode(tool, path)),
  };
}

function modelOf(agent: Agent): { model?: string } {
  const { model } = agent as { model?: unknown };
  const name = typeof model === 'object' && model !== null ? (model as { model?: unknown }).model : model;
  return typeof name === 'string' ? { model: name } : {};
}

function toToolNode(tool: Partial<Tool> & { name: string; agent?: Agent }, path: readonly Agent[]): ToolNode {
  const { name, description = '', agent } = tool;
  // Agents may have each other as tools, so an ancestor is not added again.
  const isNew = typeof agent?.runAsync === 'function' && !path.includes(agent);
  return { name, description, ...(isNew && { agent: toAgentGraph(agent, path) }) };
}
