/** Returns a score from 0 to 1 for the distance of a result from the query. The score of the nearest results is 1. */
export function toScore(distance: number): number {
  return 1 / (1 + Math.max(0, distance));
}
