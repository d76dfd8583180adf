import { callTracer } from '@thole/core/kit';
import type { ToolContext } from '@thole/core';

/** Marks the span of a tool call whose result says that it failed. The span has no error: the model reads the result. */
export function describeToolError({ runtime, span }: ToolContext): void {
  callTracer(runtime.logger, () => {
    if (!span.isSilent) span.set({ 'error.type': 'tool_error' });
  });
}
