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
  for (const slot of slots) {
    const current = findCurrentFact(index, slot);
    if (current === slot) continue;
    all.add(current);
    scoredSlots.push(current);
    relevance.raise(current, relevance.of(slot));
    scores[current] = Math.max(scores[current]!, scores[slot]!);
    scores[slot] = Math.min(scores[slot]!, scores[current]! * JUST_BELOW_ONE);
  }
  return all;
}

/** Returns the last fact of a chain of replacements that is in the index. */
function findCurrentFact({ successors, turns }: RecallIndex, slot: number): number {
  const seen = new Set<number>();
  for (let current = slot; !seen.has(current);) {
    seen.add(current);
    const next = successors.get(current);
    const found = next === undefined ? undefined : turns.find(next);
    if (found === undefined) return current;
    current = found;
  }
  return slot;
}
