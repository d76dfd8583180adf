import type { Scored } from '../service/scored.ts';

/**
 * Returns the sum of each entry's lexical score and its cosine, scaled to 0 … 1 over the candidates, times `weight`. An entry without a
 * cosine has only its lexical score.
 */
export function combineScores(
  lexical: readonly Scored[],
  nearest: readonly Scored[],
  { weight, explain }: { weight: number; explain: boolean },
): Scored[] {
  const best = nearest[0]?.score ?? 0;
  const worst = nearest.at(-1)?.score ?? 0;
  const toFraction = (cosine: number): number => (best > worst ? (cosine - worst) / (best - worst) : 1);
  const sums = new Map(lexical.map((entry) => [entry.id, entry]));
  for (const { id, score, relevance = 0 } of nearest) {
    const before = sums.get(id);
    const added = weight * toFraction(score);
    const explanation = explain && { explanation: { ...before?.explanation, cosine: added } };
    const total = (before?.score ?? 0) + added;
    sums.set(id, { id, score: total, relevance: Math.max(relevance, before?.relevance ?? 0), ...explanation });
  }
  return [...sums.values()];
}
