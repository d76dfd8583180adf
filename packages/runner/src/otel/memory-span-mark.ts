import { trace } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type { SpanAttributes } from '@thole/core';

// Copies of this package recognize each other's mark.
const key = Symbol.for('thole.memory-span');

/** Marks the context of a span of a memory operation. */
export function markMemorySpan(context: Context, attributes: SpanAttributes): Context {
  const operation = attributes['gen_ai.operation.name'];
  const isMemory = typeof operation === 'string' && operation.endsWith('_memory');
  return isMemory ? context.setValue(key, trace.getSpan(context)) : context;
}

/** True if the active span belongs to a memory operation. */
export function isMemorySpan(context: Context): boolean {
  const marked = context.getValue(key);
  return marked !== undefined && marked === trace.getSpan(context);
}
