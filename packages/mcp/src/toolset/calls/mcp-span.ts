import { errorTypeOf } from '@thole/core/kit';
import type { SpanAttributes, ToolContext } from '@thole/core';
import type { McpConnection } from '../connection/mcp-connection.ts';

/** Adds OpenTelemetry's attributes for MCP to the span of a tool call. The call has no second span. */
export function describeCall(toolContext: ToolContext, connection: McpConnection): void {
  setOnSpan(toolContext, () => ({ 'mcp.method.name': 'tools/call', ...connection.spanAttributes }));
}

/** Marks the span of a tool call whose result says that it failed. */
export function describeToolError(toolContext: ToolContext): void {
  setOnSpan(toolContext, () => ({ 'error.type': 'tool_error' }));
}

/**
 * Returns `_meta` with the W3C trace context of the tool call, so that the server can continue the trace. Undefined
 * without a recorded trace.
 */
export function traceMetaOf({ span }: ToolContext): { traceparent: string } | undefined {
  const { traceId, spanId, isSilent, takesContent } = span;
  if (isSilent || !/^[\da-f]{32}$/.test(traceId) || !/^[\da-f]{16}$/.test(spanId)) return undefined;
  // A span that only measures belongs to a trace that is not sampled.
  return { traceparent: `00-${traceId}-${spanId}-${takesContent === false ? '00' : '01'}` };
}

function setOnSpan({ runtime, span }: ToolContext, attributes: () => SpanAttributes): void {
  if (span.isSilent) return;
  try {
    span.set(attributes());
  } catch (error) {
    runtime.logger.warn('A tracer failed.', { error: errorTypeOf(error) });
  }
}
