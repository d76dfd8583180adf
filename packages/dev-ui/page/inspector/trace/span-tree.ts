import type { SpanFacts } from './span-facts.ts';

/** One span in the tree of a trace. */
export interface SpanNode {
  facts: SpanFacts;
  /** In order of their start. */
  children: SpanNode[];
}

/** One visible line of the tree. */
export interface SpanRow {
  facts: SpanFacts;
  depth: number;
  /** Undefined if the span has no children. */
  isOpen: boolean | undefined;
  position: number;
  siblings: number;
}

/** Returns spans as trees, in order of their start. A span with a missing parent, or in a cycle, is a root. */
export function spanTree(spans: readonly SpanFacts[]): SpanNode[] {
  const nodes = new Map(spans.map((facts) => [facts.id, { facts, children: [] as SpanNode[] }]));
  const roots: SpanNode[] = [];
  for (const node of nodes.values()) {
    const parent = isInCycle(node, nodes) ? undefined : nodes.get(node.facts.parentId ?? '');
    (parent?.children ?? roots).push(node);
  }
  for (const { children } of nodes.values()) children.sort(byStart);
  return roots.sort(byStart);
}

/** Returns the visible lines of the trees. Spans in `closed` hide their children. */
export function spanRows(roots: readonly SpanNode[], closed: ReadonlySet<string> = new Set()): SpanRow[] {
  const rows: SpanRow[] = [];
  const add = (nodes: readonly SpanNode[], depth: number): void => {
    nodes.forEach(({ facts, children }, i) => {
      const isOpen = children.length === 0 ? undefined : !closed.has(facts.id);
      rows.push({ facts, depth, isOpen, position: i + 1, siblings: nodes.length });
      if (isOpen) add(children, depth + 1);
    });
  };
  add(roots, 0);
  return rows;
}

/** Returns the sum of a count over spans. Undefined if no span has it. */
export function sumOf(spans: readonly SpanFacts[], of: 'inputTokens' | 'outputTokens' | 'cost'): number | undefined {
  const values = spans.flatMap((facts) => facts[of] ?? []);
  return values.length === 0 ? undefined : values.reduce((sum, each) => sum + each, 0);
}

// Spans with the same start keep their order.
const byStart = (a: SpanNode, b: SpanNode): number => a.facts.startMs - b.facts.startMs;

function isInCycle(node: SpanNode, nodes: ReadonlyMap<string, SpanNode>): boolean {
  const seen = new Set<string>();
  for (let at: SpanNode | undefined = node; at; at = nodes.get(at.facts.parentId ?? '')) {
    if (seen.has(at.facts.id)) return at === node;
    seen.add(at.facts.id);
  }
  return false;
}
