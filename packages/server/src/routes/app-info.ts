import { AgentTree } from '@thole/core';
import type { Agent } from '@thole/core';
import type { Runner } from '@thole/runner';
import { toolsOf } from './tools-of.ts';

/** The description of an app, in the format of ADK's clients. */
export interface AppInfo {
  name: string;
  rootAgentName: string;
  description: string;
  language: 'typescript';
  agents: { [name: string]: AgentInfo };
  /** The services of the app in addition to sessions, so that a page knows which requests it can send. */
  services: { memory: boolean; artifacts: boolean };
  /** First messages that a page may offer in an empty session. */
  suggestions: readonly string[];
}

/** One agent of an app. A toolset is listed by its name. */
export interface AgentInfo {
  name: string;
  description: string;
  subAgents: string[];
  tools: ToolInfo[];
}

/** One tool of an agent. */
export interface ToolInfo {
  name: string;
  description: string;
  /** Set if the arguments of a call can be edited in its confirmation. */
  allowEditedArguments?: true | undefined;
}

/** Returns the description of a runner's app. */
export function toAppInfo(runner: Runner): AppInfo {
  const root = runner.agent;
  const agents: { [name: string]: AgentInfo } = {};
  for (const agent of new AgentTree(root)) agents[agent.name] = toAgentInfo(agent);
  const { description = '' } = root;
  const services = { memory: runner.memoryService !== undefined, artifacts: runner.artifactService !== undefined };
  return {
    ...{ name: runner.appName, rootAgentName: root.name, description, language: 'typescript', agents, services },
    // A runner from an older copy of the package may not have the member.
    suggestions: runner.suggestions ?? [],
  };
}

function toAgentInfo(agent: Agent): AgentInfo {
  const { name, description = '', subAgents = [] } = agent;
  const tools = toolsOf(agent).map((tool) => ({
    ...{ name: tool.name, description: tool.description ?? '' },
    ...(tool.allowEditedArguments === true && { allowEditedArguments: true as const }),
  }));
  return { name, description, subAgents: subAgents.map((each) => each.name), tools };
}
