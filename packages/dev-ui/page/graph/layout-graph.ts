import type { GraphNode } from './read-graph.ts';

/** A node and its position. */
export interface PlacedNode {
  node: GraphNode;
  depth: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The positions of a tree from left to right. A layer is as wide as its widest node. */
export interface GraphLayout {
  nodes: PlacedNode[];
  /** From the right side of one node to the left side of the other. */
  edges: { from: PlacedNode; to: PlacedNode }[];
  width: number;
  height: number;
}

/** Places the nodes of a tree without overlaps: leaves below each other, a parent at the middle of its children. */
export function layoutGraph(root: GraphNode, p: { labelWidth?: (node: GraphNode) => number } = {}): GraphLayout {
  const widthOf = p.labelWidth ?? estimatedWidth;
  const widths: number[] = [];
  measure(root, 0, widths, widthOf);
  const lefts = widths.map((_, layer) => widths.slice(0, layer).reduce((sum, width) => sum + width + LAYER_GAP, 0));
  const layout: GraphLayout = { nodes: [], edges: [], width: lefts.at(-1)! + widths.at(-1)!, height: 0 };
  place(root, 0, { layout, lefts, widthOf });
  return layout;
}

const HEIGHT = 42;
const ROW_GAP = 6;
const LAYER_GAP = 24;

function measure(node: GraphNode, depth: number, widths: number[], widthOf: (node: GraphNode) => number): void {
  widths[depth] = Math.max(widths[depth] ?? 0, widthOf(node));
  for (const child of node.children) measure(child, depth + 1, widths, widthOf);
}

function place(
  node: GraphNode,
  depth: number,
  p: { layout: GraphLayout; lefts: readonly number[]; widthOf: (node: GraphNode) => number },
): PlacedNode {
  const { layout, lefts, widthOf } = p;
  const placed: PlacedNode = { node, depth, x: lefts[depth]!, y: 0, width: widthOf(node), height: HEIGHT };
  layout.nodes.push(placed);
  const children = node.children.map((child) => place(child, depth + 1, p));
  layout.edges.push(...children.map((to) => ({ from: placed, to })));
  if (children.length > 0) placed.y = (children[0]!.y + children.at(-1)!.y) / 2;
  else {
    placed.y = layout.height === 0 ? 0 : layout.height + ROW_GAP;
    layout.height = placed.y + HEIGHT;
  }
  return placed;
}

// Letters of a system font at 13 px are about 7 px wide; the rest is padding and the icon.
const estimatedWidth = ({ name }: GraphNode): number => Math.min(Math.max(name.length, 3), 28) * 7.8 + 40;
