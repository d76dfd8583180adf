import { describe, expect, it } from 'vitest';
import { toDot } from '../../src/routes/to-dot.ts';
import type { AgentGraph } from '../../src/routes/agent-graph.ts';

const agent = (name: string, p: Partial<AgentGraph> = {}): AgentGraph => ({
  name,
  description: '',
  subAgents: [],
  tools: [],
  ...p,
});
const lines = (dot: string): string[] => dot.split('\n').map((line) => line.trim().replace(/, style.*\]/, ']'));

describe('toDot', () => {
  it('draws agents as ellipses, tools as boxes, and edges between them', () => {
    const tools = [{ name: 'look', description: '' }];
    const root = agent('root', { subAgents: [agent('a', { tools })], tools });
    expect(lines(toDot(root)).filter((line) => line.startsWith('"'))).toEqual([
      '"root" [shape=ellipse];',
      '"a" [shape=ellipse];',
      '"look" [shape=box];',
      '"a" -> "look";',
      '"root" -> "a";',
      '"root" -> "look";',
    ]);
  });

  it('escapes quotes and backslashes in names', () => {
    const evil = '"]; x [label="\\';
    const dot = toDot(agent('root', { tools: [{ name: `${evil}\n}`, description: '' }] }));
    expect(dot).toContain('"\\"]; x [label=\\"\\\\ }"');
    expect(dot.split('\n').filter((line) => line === '}')).toHaveLength(1);
  });

  it('highlights steps, and draws an answer backwards', () => {
    const root = agent('root', {
      tools: [
        { name: 'look', description: '' },
        { name: 'find', description: '' },
      ],
    });
    const dot = toDot(root, {
      steps: [
        { from: 'root', to: 'look', isAnswer: false },
        { from: 'root', to: 'find', isAnswer: true },
      ],
    });
    expect(dot).toContain('"root" -> "look" [color="#188038", penwidth=2];');
    expect(dot).toContain('"root" -> "find" [color="#188038", penwidth=2, dir=back];');
    expect(dot.match(/fillcolor="#ceead6"/g)).toHaveLength(3);
  });

  it('uses other colors in dark mode', () => {
    expect(toDot(agent('root'), { darkMode: true })).not.toEqual(toDot(agent('root')));
  });
});
