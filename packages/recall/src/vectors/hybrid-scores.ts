import type { Scored } from '../service/scored.ts';

/**
 * The sum of what words gave an entry and of its cosine, shifted to 0 … 1 over the candidates, times `weight`. Who was found by
 * words alone gets nothing for the cosine.
 */
export function hybridScores(
  lexical: readonly Scored[],
  near: readonly Scored[],
  { weight, explain }: { weight: number; explain: boolean },
): Scored[] {
  const best = near[0]?.score ?? 0;
  const worst = near.at(-1)?.score ?? 0;
  const shifted = (cosine: number): number => (best > worst ? (cosine - worst) / (best - worst) : 1);
  const sums = new Map(lexical.map((one) => [one.id, one]));
  for (const { id, score, relevance = 0 } of near) {
    const before = sums.get(id);
    const given = weight * shifted(score);
    const explanation = explain && { explanation: { ...before?.explanation, cosine: given } };
    const total = (before?.score ?? 0) + given;
    sums.set(id, { id, score: total, relevance: Math.max(relevance, before?.relevance ?? 0), ...explanation });
  }
  return [...sums.values()];
}
