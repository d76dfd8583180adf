import type { SpanFacts } from './span-facts.ts';

/**
 * Returns the spans of each invocation: all traces whose root belongs to it, including agents that ran as tools with
 * separate invocations. A resumed invocation has several traces.
 */
export function groupByInvocation(spans: readonly SpanFacts[]): Map<string, SpanFacts[]> {
  const known = new Set(spans.map(({ id }) => id));
  const found = new Map<string, SpanFacts[]>();
  for (const trace of Map.groupBy(spans, ({ traceId }) => traceId).values()) {
    // Only roots count. If the root is missing, spans with a missing parent are used instead.
    const roots = trace.filter(({ parentId }) => parentId === undefined || !known.has(parentId));
    for (const invocationId of new Set(roots.map((root) => root.invocationId))) {
      if (invocationId !== undefined) found.set(invocationId, [...(found.get(invocationId) ?? []), ...trace]);
    }
  }
  return found;
}
