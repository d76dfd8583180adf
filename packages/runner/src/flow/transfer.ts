import type { Agent, InvocationContext } from '@thole/core';
import type { ToolsOutcome } from './run-tools.ts';

/** Returns the agent that the turn's calls transfer to: that of the first call in order that does. */
export function transferTarget(outcome: ToolsOutcome, { tree }: InvocationContext): Agent | undefined {
  for (const answer of outcome) {
    const name = answer?.actions?.transferToAgent;
    if (name !== undefined) return tree.find(name);
  }
  return undefined;
}
