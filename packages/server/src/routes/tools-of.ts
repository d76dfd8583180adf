import type { Agent, Tool } from '@thole/core';

/** Returns the tools of an agent. Empty for agents without a list of tools. */
export function toolsOf(agent: Agent): (Partial<Tool> & { name: string })[] {
  const { tools } = agent as { tools?: unknown };
  return Array.isArray(tools) ? tools.filter((each): each is Tool => typeof each?.name === 'string') : [];
}
