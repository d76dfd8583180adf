import type { Agent } from '@thole/core';

/** Marks an agent that runs exactly its `subAgents`. All copies of this package share the symbol. */
const workflowAgentBrand: unique symbol = Symbol.for('thole.workflow-agent');

/** Marks an agent of a workflow class, unless its subclass has another `runAsync`, which may run other agents. */
export function markWorkflowAgent(agent: Agent, { prototype }: { readonly prototype: Agent }): void {
  if (agent.runAsync === prototype.runAsync) Object.defineProperty(agent, workflowAgentBrand, { value: true });
}

/** True for a `SequentialAgent`, `ParallelAgent` or `LoopAgent`, also from another copy of this package. */
export function isWorkflowAgent(agent: Agent | undefined): agent is Agent {
  return agent !== undefined && (agent as { [workflowAgentBrand]?: unknown })[workflowAgentBrand] === true;
}
