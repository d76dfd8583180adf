/** Returns the results whose score is at least this fraction of the best score. */
export function filterByMinScore<T extends { score: number }>(found: T[], fraction: number | undefined): T[] {
  const best = found[0]?.score;
  return fraction === undefined || best === undefined ? found : found.filter(({ score }) => score >= fraction * best);
}
