import { AgentTree } from '@thole/core';
import { assertAgent, assertAgentName } from '@thole/core/kit';
import type { Agent } from '@thole/core';
import { describe, expect, it } from 'vitest';

const agent = (name: string, ...subAgents: Agent[]): Agent => ({ name, subAgents, async *runAsync() {} });

describe('AgentTree', () => {
  const leaf = agent('leaf');
  const child = agent('child', leaf);
  const root = agent('root', child, agent('other'));

  it('finds agents and parents, and iterates over parents before children', () => {
    const tree = new AgentTree(root);
    expect([tree.root, tree.find('leaf'), tree.find('none'), tree.parentOf(leaf), tree.parentOf(root)]).toEqual([
      root,
      leaf,
      undefined,
      child,
      undefined,
    ]);
    expect([...tree].map((each) => each.name)).toEqual(['root', 'child', 'leaf', 'other']);
  });

  it('rejects two agents with the same name and names both places', () => {
    expect(() => new AgentTree(agent('root', child, agent('b', agent('leaf'))))).toThrow(
      'Two agents are called leaf: below child, and below b.',
    );
    expect(() => new AgentTree(agent('a', agent('a')))).toThrow('Two agents are called a: the root, and below a.');
  });

  it('accepts agent names in every script and rejects other names', () => {
    for (const name of ['a', '_a', 'a-b', 'a1', 'Ärger', '日本']) expect(() => assertAgentName(name)).not.toThrow();
    for (const name of ['', '1a', 'a b', 'a.b', '-a', 'user', 'system', 'a/b', 7, undefined])
      expect(() => assertAgentName(name)).toThrow('n agent');
    for (const none of [undefined, null, {}, { name: 'a' }, 'a'])
      expect(() => assertAgent(none)).toThrow('An agent must be an object with name and runAsync');
  });
});
