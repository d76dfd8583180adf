import type { AgentGraph } from './agent-graph.ts';

/** Options of `toDot`. */
export interface DotOptions {
  darkMode?: boolean | undefined;
  /** Names of highlighted agents and tools. */
  highlighted?: readonly string[] | undefined;
  /**
   * Highlighted edges from an agent to its tool, or to the agent that it transfers to. With `isAnswer` the arrow points back to
   * the agent.
   */
  steps?: readonly { from: string; to: string; isAnswer: boolean }[] | undefined;
}

const LIGHT = {
  line: '#5f6368',
  text: '#202124',
  fill: '#f1f3f4',
  highlightLine: '#188038',
  highlightFill: '#ceead6',
};
const DARK = { line: '#9aa0a6', text: '#e8eaed', fill: '#3c4043', highlightLine: '#81c995', highlightFill: '#0d652d' };

/** Returns a graph of agents (ellipses) and tools (boxes) in Graphviz's language, from left to right. */
export function toDot(root: AgentGraph, options: DotOptions = {}): string {
  const { darkMode, highlighted = [], steps = [] } = options;
  const colors = darkMode ? DARK : LIGHT;
  const nodes = new Map<string, string>();
  const edges = new Map<string, string>();

  function addNode(name: string, shape: string): void {
    if (nodes.has(name)) return;
    const isHighlighted = highlighted.includes(name) || steps.some(({ from, to }) => name === from || name === to);
    const fill = isHighlighted ? colors.highlightFill : colors.fill;
    const line = isHighlighted ? colors.highlightLine : colors.line;
    nodes.set(name, `  ${quote(name)} [shape=${shape}, style=filled, fillcolor="${fill}", color="${line}"];`);
  }

  function addEdge(from: string, to: string): void {
    const step = steps.find((each) => each.from === from && each.to === to);
    const style = step ? ` [color="${colors.highlightLine}", penwidth=2${step.isAnswer ? ', dir=back' : ''}]` : '';
    edges.set(JSON.stringify([from, to]), `  ${quote(from)} -> ${quote(to)}${style};`);
  }

  function addAgent(agent: AgentGraph): void {
    addNode(agent.name, 'ellipse');
    for (const each of agent.subAgents) {
      addAgent(each);
      addEdge(agent.name, each.name);
    }
    for (const { name, agent: toolAgent } of agent.tools) {
      if (toolAgent) addAgent(toolAgent);
      addNode(name, 'box');
      addEdge(agent.name, name);
    }
  }

  addAgent(root);
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

// A backslash starts an escape in quoted labels.
function quote(name: string): string {
  return `"${name
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\r\n\0]/g, ' ')}"`;
}
