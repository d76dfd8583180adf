import type { SpanFacts } from '../inspector/trace/span-facts.ts';
import type { Bar } from './lanes.ts';

/** Returns bars for model calls, tools and stores in the lane of their agent. The rest of the agent's time is a wait. */
export function barsOfSpans(spans: readonly SpanFacts[]): Bar[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const children = Map.groupBy(spans, ({ parentId }) => parentId);
  const bars: Bar[] = [];
  for (const span of spans) {
    if (span.kind === 'agent') bars.push(...waitsOf(span, children.get(span.id) ?? []));
    else if (span.kind !== 'other') bars.push(barOf(span, agentOf(span, byId)));
  }
  return bars;
}

/** Minimum length of a wait. Shorter gaps are work of the event loop. */
const MIN_WAIT_MS = 5;

function barOf(span: SpanFacts, lane: string): Bar {
  const { id, kind, title, startMs, endMs, eventId, error } = span;
  return { id, lane, kind: kind === 'other' ? 'agent' : kind, label: title, startMs, endMs, eventId, error };
}

function agentOf(span: SpanFacts, byId: ReadonlyMap<string, SpanFacts>): string {
  const seen = new Set<string>();
  for (let at: SpanFacts | undefined = span; at && !seen.has(at.id); at = byId.get(at.parentId ?? '')) {
    if (at.kind === 'agent') return at.title;
    if (at.agent !== undefined) return at.agent;
    seen.add(at.id);
  }
  return 'agent';
}

function waitsOf(agent: SpanFacts, inside: readonly SpanFacts[]): Bar[] {
  const gaps: Bar[] = [];
  let from = agent.startMs;
  const end: Pick<SpanFacts, 'startMs' | 'endMs'> = { startMs: agent.endMs, endMs: agent.endMs };
  for (const { startMs, endMs } of [...inside.toSorted((a, b) => a.startMs - b.startMs), end]) {
    if (startMs - from >= MIN_WAIT_MS)
      gaps.push({
        id: `${agent.id} ${gaps.length}`,
        lane: agent.title,
        kind: 'wait',
        label: 'waiting',
        startMs: from,
        endMs: startMs,
        eventId: agent.eventId,
      });
    from = Math.max(from, endMs);
  }
  return gaps;
}
