import type { SpanFacts } from './span-facts.ts';

/**
 * The spans of each invocation: all of the traces in which it begins, with those of agents that ran within it as tools, which
 * have invocations of their own. One that was resumed has several traces.
 */
export function byInvocation(spans: readonly SpanFacts[]): Map<string, SpanFacts[]> {
  const known = new Set(spans.map(({ id }) => id));
  const found = new Map<string, SpanFacts[]>();
  for (const trace of Map.groupBy(spans, ({ traceId }) => traceId).values()) {
    // Spans that began later may name the root's invocation too; the root itself may be gone.
    const roots = trace.filter(({ parentId }) => parentId === undefined || !known.has(parentId));
    for (const invocationId of new Set(roots.map((root) => root.invocationId))) {
      if (invocationId !== undefined) found.set(invocationId, [...(found.get(invocationId) ?? []), ...trace]);
    }
  }
  return found;
}
