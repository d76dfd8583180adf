import { describe, expect, it } from 'vitest';
import type { RecallIndex } from '../../src/index/recall-index.ts';
import { rankReplacedFacts } from '../../src/signals/rank-replaced-facts.ts';
import type { Relevance } from '../../src/signals/relevance.ts';
import type { ScoringScratch } from '../../src/signals/scoring-scratch.ts';

/** Ranks all facts of a chain, each of which replaces the one before. Returns the slots and the number of lookups. */
function rankChain(successors: ReadonlyMap<number, string>, count: number) {
  let lookups = 0;
  const turns = { find: (id: string) => (id === '' ? undefined : (lookups++, Number(id))) };
  const scratch = { scores: new Float64Array(count).fill(1), scoredSlots: [] as number[] };
  const slots = Array.from({ length: count }, (_, i) => i);
  const relevance = { of: () => 1, raise: () => {} };
  rankReplacedFacts(
    { successors, turns } as unknown as RecallIndex,
    slots,
    scratch as unknown as ScoringScratch,
    relevance as unknown as Relevance,
  );
  return { lookups, scores: scratch.scores };
}

describe('rankReplacedFacts', () => {
  it('follows each replacement of a long chain once', () => {
    const count = 500;
    const chain = new Map(Array.from({ length: count - 1 }, (_, i) => [i, String(i + 1)]));
    const { lookups, scores } = rankChain(chain, count);
    expect(lookups).toBe(count - 1);
    expect(scores.indexOf(1)).toBe(count - 1);
  });

  it('hardly changes facts that replace each other in a cycle', () => {
    const cycle = new Map([
      [0, '1'],
      [1, '2'],
      [2, '1'],
    ]);
    for (const score of rankChain(cycle, 3).scores) expect(score).toBeCloseTo(1, 6);
  });
});
