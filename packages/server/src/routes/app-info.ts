import { AgentTree } from '@thole/core';
import type { Agent } from '@thole/core';
import type { Runner } from '@thole/runner';

/** An app as ADK's clients know it. */
export interface AppInfo {
  name: string;
  rootAgentName: string;
  description: string;
  language: 'typescript';
  agents: { [name: string]: AgentInfo };
  /** What the app has besides sessions, so that a page asks for nothing that is not there. */
  services: { memory: boolean; artifacts: boolean };
  /** First messages that a page may offer in an empty session; empty if the app suggests none. */
  suggestions: readonly string[];
}

/** One agent of a tree. Toolsets are named, not opened. */
export interface AgentInfo {
  name: string;
  description: string;
  subAgents: string[];
  tools: { name: string; description: string }[];
}

/** What a runner runs, for people to look at. */
export function appInfoOf(runner: Runner): AppInfo {
  const root = runner.agent;
  const agents: { [name: string]: AgentInfo } = {};
  for (const agent of new AgentTree(root)) agents[agent.name] = agentInfoOf(agent);
  const { description = '' } = root;
  const services = { memory: runner.memoryService !== undefined, artifacts: runner.artifactService !== undefined };
  return {
    ...{ name: runner.appName, rootAgentName: root.name, description, language: 'typescript', agents, services },
    // A runner of another copy of the package may not have the member.
    suggestions: runner.suggestions ?? [],
  };
}

function agentInfoOf(agent: Agent): AgentInfo {
  const { name, description = '', subAgents = [] } = agent;
  return { name, description, subAgents: subAgents.map((each) => each.name), tools: toolsOf(agent) };
}

// Agents of a kind that the server does not know may have no list of tools.
function toolsOf(agent: Agent): AgentInfo['tools'] {
  const { tools } = agent as { tools?: unknown };
  if (!Array.isArray(tools)) return [];
  return tools
    .filter((each): each is { name: string; description?: string } => typeof each?.name === 'string')
    .map(({ name, description = '' }) => ({ name, description }));
}
