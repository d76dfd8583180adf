import type { Tool } from '@thole/core';
import { FunctionTool } from './function-tool.ts';

/** `exit_loop`: ends the enclosing `LoopAgent`; the model is not asked to put the answer into words. */
export function exitLoopTool(): Tool {
  return new FunctionTool({
    name: 'exit_loop',
    description: 'Ends the loop. Call it only when you are told to, or when nothing is left to do.',
    execute: (_args, { actions }) => {
      actions.escalate = true;
      actions.skipSummarization = true;
      return {};
    },
  });
}

/** `exitLoopTool()`, under ADK's name. */
export const EXIT_LOOP: Tool = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ exitLoopTool());
