import type { Agent, InvocationContext } from '@thole/core';
import type { ToolsOutcome } from './run-tools.ts';

/** To whom the turn's calls hand over: the first in call order that does. */
export function transferTarget(outcome: ToolsOutcome, { tree }: InvocationContext): Agent | undefined {
  for (const answer of outcome) {
    const name = answer?.actions?.transferToAgent;
    if (name !== undefined) return tree.find(name);
  }
  return undefined;
}
