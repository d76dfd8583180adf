import type { Scored } from '../service/scored.ts';

/**
 * Returns the sum of each entry's lexical score and its cosine, scaled to 0 … 1 over the candidates, times `weight`. An entry that
 * only the words found gets nothing for the cosine.
 */
export function hybridScores(
  lexical: readonly Scored[],
  near: readonly Scored[],
  { weight, explain }: { weight: number; explain: boolean },
): Scored[] {
  const best = near[0]?.score ?? 0;
  const worst = near.at(-1)?.score ?? 0;
  const scaled = (cosine: number): number => (best > worst ? (cosine - worst) / (best - worst) : 1);
  const sums = new Map(lexical.map((entry) => [entry.id, entry]));
  for (const { id, score, relevance = 0 } of near) {
    const before = sums.get(id);
    const added = weight * scaled(score);
    const explanation = explain && { explanation: { ...before?.explanation, cosine: added } };
    const total = (before?.score ?? 0) + added;
    sums.set(id, { id, score: total, relevance: Math.max(relevance, before?.relevance ?? 0), ...explanation });
  }
  return [...sums.values()];
}
