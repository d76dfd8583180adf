import type { Tool } from '@thole/core';
import { FunctionTool } from './function-tool.ts';

/**
 * Returns the tool `exit_loop`, which ends every enclosing `LoopAgent`. The model is not called to summarize the
 * answer.
 */
export function exitLoopTool(): Tool {
  return new FunctionTool({
    name: 'exit_loop',
    description: 'Ends the loop. Call it only on request, or when nothing is left to do.',
    execute: (_args, { actions }) => {
      actions.escalate = true;
      actions.skipSummarization = true;
      return {};
    },
  });
}

/** `exitLoopTool()` under ADK's name. */
export const EXIT_LOOP: Tool = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ exitLoopTool());
