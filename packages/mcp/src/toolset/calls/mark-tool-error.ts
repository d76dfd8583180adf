import { callTracer } from '@thole/core/kit';
import type { ToolContext } from '@thole/core';

/** Marks the span of a tool call whose result is an error. The span itself does not fail: the model reads the result. */
export function markToolError({ runtime, span }: ToolContext): void {
  callTracer(runtime.logger, () => {
    if (!span.isSilent) span.set({ 'error.type': 'tool_error' });
  });
}
