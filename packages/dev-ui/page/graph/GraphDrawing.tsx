import { useMemo } from 'preact/hooks';
import { layoutGraph } from './layout-graph.ts';
import type { PlacedNode } from './layout-graph.ts';
import type { GraphMarks } from './marks-of.ts';
import { typeLabel } from './read-graph.ts';
import type { GraphNode } from './read-graph.ts';
import './graph.css';

const PADDING = 4;
/** Minimum scale: the drawing shrinks to fit, but stays readable. */
const MIN_SCALE = 0.8;
const MAX_NAME_LENGTH = 28;

/** Agents and tools as a tree from left to right, and as a nested list for screen readers. */
export function GraphDrawing({ root, marks }: { root: GraphNode; marks: GraphMarks }) {
  const { nodes, edges, width, height } = useMemo(() => layoutGraph(root, { labelWidth: createWidthMeter() }), [root]);
  const isMarked = ({ kind, name, id }: GraphNode): boolean => {
    if (kind === 'tool') return marks.tools.has(name);
    return kind === 'agent' ? marks.agents.has(name) || marks.tools.has(name) : marks.modelAgents.has(agentOfModel(id));
  };
  return (
    <div class="graph" tabIndex={0} role="group" aria-label="Agents and tools">
      <svg
        style={{ width: rem(width + 2 * PADDING), minWidth: rem((width + 2 * PADDING) * MIN_SCALE) }}
        viewBox={`${-PADDING} ${-PADDING} ${width + 2 * PADDING} ${height + 2 * PADDING}`}
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
        <NodeText node={root} isMarked={isMarked} />
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
        {shorten(node.name)}
      </text>
      <text class="graph-type" x={28} y={height / 2 + 9} dominant-baseline="central">
        {typeLabel(node)}
      </text>
    </g>
  );
}

/** Returns a length of the drawing as CSS, so that the drawing is scaled with the text size of the page. */
const rem = (length: number): string => `${length / 16}rem`;

// The width of a text depends on the system font, so a canvas measures it.
function createWidthMeter(): (node: GraphNode) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return ({ name }) => Math.max(shorten(name).length, 12) * 7.8 + 40;
  context.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const widthOf = (text: string): number => context.measureText(text).width;
  return (node) => Math.ceil(Math.max(widthOf(shorten(node.name)), widthOf(typeLabel(node)))) + 40;
}

function shorten(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name;
}

function NodeText({ node, isMarked }: { node: GraphNode; isMarked: (node: GraphNode) => boolean }) {
  return (
    <li>
      {typeLabel(node)} {node.name}
      {isMarked(node) && ', ran in this turn'}
      {node.children.length > 0 && (
        <ul>
          {node.children.map((child) => (
            <NodeText key={child.id} node={child} isMarked={isMarked} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Returns the name of the agent of a model, from the id of the model's node. */
function agentOfModel(id: string): string {
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
