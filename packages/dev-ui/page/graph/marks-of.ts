import type { Event } from '@thole/core';

/** The nodes of a graph that ran in a turn. */
export interface GraphMarks {
  agents: ReadonlySet<string>;
  tools: ReadonlySet<string>;
  /** Agents whose model answered. */
  modelAgents: ReadonlySet<string>;
}

/** Returns the agents that wrote these events, the called tools, and the agents whose model answered. */
export function marksOf(turn: readonly Event[]): GraphMarks {
  const agents = new Set<string>();
  const tools = new Set<string>();
  const modelAgents = new Set<string>();
  for (const { author, content } of turn) {
    const parts = content?.parts ?? [];
    for (const { functionCall, functionResponse } of parts) {
      const name = functionCall?.name ?? functionResponse?.name;
      if (name !== undefined) tools.add(name);
    }
    if (author === 'user') continue;
    agents.add(author);
    if (parts.some(({ functionResponse }) => functionResponse === undefined)) modelAgents.add(author);
  }
  return { agents, tools, modelAgents };
}
