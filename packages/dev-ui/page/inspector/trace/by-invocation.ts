import type { SpanFacts } from './span-facts.ts';

/**
 * Returns the spans of each invocation: of all traces in which it begins, including agents that ran as its tools
 * with separate invocations. A resumed invocation has several traces.
 */
export function byInvocation(spans: readonly SpanFacts[]): Map<string, SpanFacts[]> {
  const known = new Set(spans.map(({ id }) => id));
  const found = new Map<string, SpanFacts[]>();
  for (const trace of Map.groupBy(spans, ({ traceId }) => traceId).values()) {
    // Spans that began later may name the root's invocation too, and the root itself may be missing.
    const roots = trace.filter(({ parentId }) => parentId === undefined || !known.has(parentId));
    for (const invocationId of new Set(roots.map((root) => root.invocationId))) {
      if (invocationId !== undefined) found.set(invocationId, [...(found.get(invocationId) ?? []), ...trace]);
    }
  }
  return found;
}
