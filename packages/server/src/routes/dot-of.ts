import type { AgentGraph } from './agent-graph.ts';

/** What is drawn differently. */
export interface DotOptions {
  darkMode?: boolean | undefined;
  /** Names of agents and tools. */
  marked?: readonly string[] | undefined;
  /** Marked edges: from an agent to what it calls or hands over to; answers come back along the same edge. */
  steps?: readonly { from: string; to: string; isAnswer: boolean }[] | undefined;
}

const LIGHT = { line: '#5f6368', text: '#202124', fill: '#f1f3f4', mark: '#188038', marked: '#ceead6' };
const DARK = { line: '#9aa0a6', text: '#e8eaed', fill: '#3c4043', mark: '#81c995', marked: '#0d652d' };

/** A graph of agents and tools in Graphviz's language, from left to right: agents are ellipses, tools boxes. */
export function dotOf(root: AgentGraph, options: DotOptions = {}): string {
  const { darkMode, marked = [], steps = [] } = options;
  const colors = darkMode ? DARK : LIGHT;
  const nodes = new Map<string, string>();
  const edges = new Map<string, string>();

  function node(name: string, shape: string): void {
    if (nodes.has(name)) return;
    const isMarked = marked.includes(name) || steps.some(({ from, to }) => name === from || name === to);
    const fill = isMarked ? colors.marked : colors.fill;
    const line = isMarked ? colors.mark : colors.line;
    nodes.set(name, `  ${quote(name)} [shape=${shape}, style=filled, fillcolor="${fill}", color="${line}"];`);
  }

  function edge(from: string, to: string): void {
    const step = steps.find((each) => each.from === from && each.to === to);
    const look = step ? ` [color="${colors.mark}", penwidth=2${step.isAnswer ? ', dir=back' : ''}]` : '';
    edges.set(JSON.stringify([from, to]), `  ${quote(from)} -> ${quote(to)}${look};`);
  }

  function draw(agent: AgentGraph): void {
    node(agent.name, 'ellipse');
    for (const each of agent.subAgents) {
      draw(each);
      edge(agent.name, each.name);
    }
    for (const { name, agent: within } of agent.tools) {
      if (within) draw(within);
      node(name, 'box');
      edge(agent.name, name);
    }
  }

  draw(root);
  return [
    `digraph ${quote(root.name)} {`,
    `  graph [rankdir=LR, bgcolor=transparent];`,
    `  node [fontname="sans-serif", fontcolor="${colors.text}"];`,
    `  edge [color="${colors.line}"];`,
    ...[...nodes.values(), ...edges.values()],
    '}',
    '',
  ].join('\n');
}

// Within quotes a backslash is an escape in labels: doubled, it is itself.
function quote(name: string): string {
  return `"${name
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\r\n\0]/g, ' ')}"`;
}
