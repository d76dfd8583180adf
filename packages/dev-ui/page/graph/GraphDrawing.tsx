import { useMemo } from 'preact/hooks';
import { layoutGraph } from './layout-graph.ts';
import type { PlacedNode } from './layout-graph.ts';
import type { GraphMarks } from './marks-of.ts';
import { typeLabel } from './read-graph.ts';
import type { GraphNode } from './read-graph.ts';
import './graph.css';

const EDGE = 4;
/** Minimum scale. The drawing shrinks if there is no room, but stays readable. */
const SMALLEST = 0.8;
const LONGEST = 28;

/** Agents and tools as a tree from left to right; for screen readers a nested list. */
export function GraphDrawing({ root, marks }: { root: GraphNode; marks: GraphMarks }) {
  const { nodes, edges, width, height } = useMemo(() => layoutGraph(root, { labelWidth: measuredWidth() }), [root]);
  const isMarked = ({ kind, name, id }: GraphNode): boolean => {
    if (kind === 'tool') return marks.tools.has(name);
    return kind === 'agent' ? marks.agents.has(name) || marks.tools.has(name) : marks.asked.has(agentAbove(id));
  };
  return (
    <div class="graph" tabIndex={0} role="group" aria-label="Agents and tools">
      <svg
        style={{ width: width + 2 * EDGE, minWidth: (width + 2 * EDGE) * SMALLEST }}
        viewBox={`${-EDGE} ${-EDGE} ${width + 2 * EDGE} ${height + 2 * EDGE}`}
        aria-hidden="true"
      >
        {edges.map(({ from, to }) => (
          <path key={to.node.id} class="graph-edge" d={curve(from, to)} />
        ))}
        {nodes.map((placed) => (
          <Node key={placed.node.id} placed={placed} isMarked={isMarked(placed.node)} />
        ))}
      </svg>
      <ul class="visually-hidden">
        <Spoken node={root} isMarked={isMarked} />
      </ul>
    </div>
  );
}

function Node({ placed: { node, x, y, width, height }, isMarked }: { placed: PlacedNode; isMarked: boolean }) {
  return (
    <g class="graph-node" data-kind={node.kind} data-marked={isMarked || undefined} transform={`translate(${x} ${y})`}>
      <title>{[node.name, typeLabel(node), node.description].filter(Boolean).join('\n')}</title>
      <rect width={width} height={height} rx={node.kind === 'agent' ? 14 : node.kind === 'model' ? 0 : 6} />
      <circle cx={16} cy={height / 2} r={4} />
      <text x={28} y={height / 2 - 8} dominant-baseline="central">
        {shortened(node.name)}
      </text>
      <text class="graph-type" x={28} y={height / 2 + 9} dominant-baseline="central">
        {typeLabel(node)}
      </text>
    </g>
  );
}

// Widths of system fonts differ; a canvas measures them.
function measuredWidth(): (node: GraphNode) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return ({ name }) => Math.max(shortened(name).length, 12) * 7.8 + 40;
  context.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const widthOf = (text: string): number => context.measureText(text).width;
  return (node) => Math.ceil(Math.max(widthOf(shortened(node.name)), widthOf(typeLabel(node)))) + 40;
}

function shortened(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}

function Spoken({ node, isMarked }: { node: GraphNode; isMarked: (node: GraphNode) => boolean }) {
  return (
    <li>
      {typeLabel(node)} {node.name}
      {isMarked(node) && ', ran in this turn'}
      {node.children.length > 0 && (
        <ul>
          {node.children.map((child) => (
            <Spoken key={child.id} node={child} isMarked={isMarked} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Returns the agent of a model: its name is first in the id. */
function agentAbove(id: string): string {
  const name =
    id
      .split('/')
      .at(-2)
      ?.replace(/^agent:/, '') ?? '';
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function curve(from: PlacedNode, to: PlacedNode): string {
  const [x1, y1] = [from.x + from.width, from.y + from.height / 2];
  const [x2, y2] = [to.x, to.y + to.height / 2];
  const middle = Math.max(x2 - 16, (x1 + x2) / 2);
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}
