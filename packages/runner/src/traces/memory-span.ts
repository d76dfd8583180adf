import type { MemoryEntry, Span, SpanAttributes } from '@thole/core';
import { inSpan } from './run-trace.ts';
import type { RunTrace } from './run-trace.ts';

/** The operations on memory in OpenTelemetry's conventions for GenAI. */
export type MemoryOperation = 'search_memory' | 'create_memory' | 'upsert_memory' | 'delete_memory';

/** One operation on memory. */
export interface TracedMemoryCall<T> {
  operation: MemoryOperation;
  agentName: string;
  parent: Span | undefined;
  /** The query. Only in spans that capture content. */
  query?: string | undefined;
  /** Id of the entry, if there is only one. */
  id?: string | undefined;
  /** Number of entries found, added or deleted. */
  count?: ((result: T) => number) | undefined;
  /** Entries of the result. Only in spans that capture content. */
  records?: ((result: T) => readonly MemoryEntry[]) | undefined;
}

/** Runs an operation on memory within a separate span. Without a trace, only runs the operation. */
export async function inMemorySpan<T>(
  trace: RunTrace | undefined,
  call: TracedMemoryCall<T>,
  work: () => Promise<T>,
): Promise<T> {
  if (!trace) return work();
  const span = trace.begin(call.operation, attributesOf(call, trace.capturesContent), call.parent);
  const capturesContent = trace.capturesContent && span.takesContent !== false;
  try {
    const result = await inSpan(span, work);
    trace.set(span, () => resultAttributes(call, result, capturesContent));
    trace.end(span);
    return result;
  } catch (error) {
    trace.end(span, error);
    throw error;
  }
}

function attributesOf(
  { operation, agentName, query, id }: TracedMemoryCall<never>,
  capturesContent: boolean,
): SpanAttributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.agent.name': agentName,
    'gen_ai.memory.record.id': id,
    'gen_ai.memory.query.text': capturesContent ? query : undefined,
  };
}

function resultAttributes<T>(
  { count, records }: TracedMemoryCall<T>,
  result: T,
  capturesContent: boolean,
): SpanAttributes {
  return {
    'gen_ai.memory.record.count': count?.(result),
    'gen_ai.memory.records': capturesContent && records ? JSON.stringify(records(result)) : undefined,
  };
}
