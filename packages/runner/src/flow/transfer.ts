import type { Agent, InvocationContext } from '@thole/core';
import type { ToolsOutcome } from './run-tools.ts';

/** Returns the target of the first call of the turn that transfers. Undefined if none does. */
export function transferTarget(outcome: ToolsOutcome, { tree }: InvocationContext): Agent | undefined {
  for (const answer of outcome) {
    const name = answer?.actions?.transferToAgent;
    if (name !== undefined) return tree.find(name);
  }
  return undefined;
}
