import { describe, expect, it } from 'vitest';
import { layoutGraph } from '../../page/graph/layout-graph.ts';
import { marksOf } from '../../page/graph/marks-of.ts';
import { countNodes, readGraph, typeLabel } from '../../page/graph/read-graph.ts';
import { event } from '../inspector/events.ts';

const tree = {
  name: 'hotel',
  rootAgent: {
    name: 'concierge',
    type: 'LlmAgent',
    subAgents: [
      { name: 'cook', tools: ['menu'] },
      { name: 'porter', tools: [{ name: 'carry', description: 'Carries.' }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'book' }] }, { name: 'ask', agent: { name: 'expert' } }],
  },
};

describe('readGraph', () => {
  it('reads agents and tools, also an agent as a tool', () => {
    const root = readGraph(tree)!;
    expect(root).toMatchObject({ kind: 'agent', name: 'concierge', type: 'LlmAgent' });
    expect(root.children.map(({ kind, name }) => [kind, name])).toEqual([
      ['agent', 'cook'],
      ['agent', 'porter'],
      ['tool', 'book'],
      ['tool', 'ask'],
    ]);
    expect(countNodes(root)).toEqual({ agents: 4, tools: 4 });
  });

  it('reads an app’s info, in which agents name their sub-agents', () => {
    const agents = {
      a: { name: 'a', subAgents: ['b'], tools: [] },
      b: { name: 'b', subAgents: [], tools: [{ name: 't' }] },
    };
    expect(readGraph({ rootAgentName: 'a', agents })!.children).toMatchObject([
      { kind: 'agent', name: 'b', children: [{ kind: 'tool', name: 't' }] },
    ]);
  });

  it('ends if agents name each other', () => {
    const agents = { a: { name: 'a', subAgents: ['b', 'b'] }, b: { name: 'b', subAgents: ['a', 'a'] } };
    expect(countNodes(readGraph({ rootAgentName: 'a', agents })!).agents).toBeLessThan(10);
  });

  it('returns undefined for data without agents', () => {
    for (const data of [{}, { rootAgent: 'x' }, { rootAgentName: 'a', agents: [] }])
      expect(readGraph(data)).toBeUndefined();
  });

  it('returns two ids for a node in two places', () => {
    const ids = readGraph({ rootAgent: { name: 'a', subAgents: [{ name: 'b', tools: ['t'] }], tools: ['t', 'b'] } });
    const all: string[] = [];
    const walk = (node: NonNullable<typeof ids>): void => {
      all.push(node.id);
      node.children.forEach(walk);
    };
    walk(ids!);
    expect(new Set(all).size).toBe(5);
  });
});

describe('layoutGraph', () => {
  const { nodes, edges, width, height } = layoutGraph(readGraph(tree)!);

  it('places nodes without overlap, within the drawing', () => {
    for (const a of nodes) {
      expect(a.x >= 0 && a.y >= 0 && a.x + a.width <= width && a.y + a.height <= height).toBe(true);
      for (const b of nodes)
        if (a !== b)
          expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(
            true,
          );
    }
  });

  it('places children to the right of their node', () => {
    expect(edges).toHaveLength(nodes.length - 1);
    for (const { from, to } of edges) expect(from.x + from.width).toBeLessThan(to.x);
  });

  it('centers a node on its children', () => {
    const [root] = nodes;
    const ys = edges.filter(({ from }) => from === root).map(({ to }) => to.y);
    expect(root!.y).toBe((Math.min(...ys) + Math.max(...ys)) / 2);
  });

  it('draws a single agent', () => {
    expect(layoutGraph(readGraph({ rootAgent: { name: 'a' } })!)).toMatchObject({ height: 42, edges: [] });
  });
});

describe('typeLabel', () => {
  it('returns a readable name for types of agents, tools and models', () => {
    const root = readGraph({
      rootAgent: {
        ...{ name: 'a', type: '_LlmAgent', model: 'gemini-2.5-flash' },
        subAgents: [{ name: 'b', type: 'LoopAgent' }, { name: 'c' }],
        tools: [{ name: 'd' }, { name: 'e', agent: { name: 'e' } }],
      },
    })!;
    const labels = root.children.map((node) => [node.name, typeLabel(node)]);
    expect([[root.name, typeLabel(root)], ...labels]).toEqual([
      ['a', 'LLM agent'],
      ['gemini-2.5-flash', 'Model'],
      ['b', 'Loop agent'],
      ['c', 'Agent'],
      ['d', 'Tool'],
      ['e', 'Agent tool'],
    ]);
    expect(countNodes(root)).toEqual({ agents: 4, tools: 2 });
  });
});

describe('marksOf', () => {
  it('marks all agents and tools of a turn, and the model that answered', () => {
    const { agents, tools, modelAgents } = marksOf([
      event({ id: '1', author: 'user', parts: [{ text: 'What is there?' }] }),
      event({ id: '2', author: 'cook', parts: [{ functionCall: { name: 'menu', args: {} } }] }),
      event({ id: '3', author: 'cook', parts: [{ functionResponse: { name: 'menu', response: {} } }] }),
      event({ id: '4', author: 'steps' }),
    ]);
    expect([[...agents], [...tools], [...modelAgents]]).toEqual([['cook', 'steps'], ['menu'], ['cook']]);
  });

  it('marks nothing without events', () => {
    expect(marksOf([])).toEqual({ agents: new Set(), tools: new Set(), modelAgents: new Set() });
  });
});
