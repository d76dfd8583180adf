import type { RecallIndex } from '../index/recall-index.ts';
import type { Relevance } from './relevance.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

/** Factor that is too close to 1 to change any other order. */
const JUST_BELOW_ONE = 1 - 1e-9;

/** Scores each replaced fact just below its replacement, and makes the replacement as relevant. Returns the slots of both. */
export function rankReplacedFacts(
  index: RecallIndex,
  slots: readonly number[],
  { scores, scoredSlots }: ScoringScratch,
  relevance: Relevance,
): ReadonlySet<number> {
  const all = new Set(slots);
  const ends = new Map<number, number>();
  for (const slot of slots) {
    const current = findCurrentFact(index, slot, ends);
    if (current === slot) continue;
    all.add(current);
    scoredSlots.push(current);
    relevance.raise(current, relevance.of(slot));
    scores[current] = Math.max(scores[current]!, scores[slot]!);
    scores[slot] = Math.min(scores[slot]!, scores[current]! * JUST_BELOW_ONE);
  }
  return all;
}

/** Returns the last fact of a chain of replacements that is in the index, in a cycle one of its facts. `ends` caches the results. */
function findCurrentFact({ successors, turns }: RecallIndex, slot: number, ends: Map<number, number>): number {
  const chain = new Set<number>();
  let current = slot;
  while (!ends.has(current) && !chain.has(current)) {
    chain.add(current);
    current = turns.find(successors.get(current) ?? '') ?? current;
  }
  for (const each of chain) ends.set(each, ends.get(current) ?? current);
  return ends.get(slot)!;
}
