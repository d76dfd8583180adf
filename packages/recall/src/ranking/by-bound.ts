import { BOUNDS, LEVELS, SCORE } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';

/**
 * Puts the rows that are bound by at least so much into `room.order`, in falling order of their bounds to one part in
 * `LEVELS`: enough for the best to come early, at no cost of sorting. Answers how many there are.
 */
export function byBound({ bounds, order, levels, stretches }: RankingRoom, least: number): number {
  const end = stretches.length * BOUNDS;
  let largest = least;
  for (let at = SCORE; at < end; at += BOUNDS) if (bounds[at]! > largest) largest = bounds[at]!;
  const scale = largest > least ? (LEVELS - 1) / (largest - least) : 0;
  const levelOf = (bound: number): number => ((largest - bound) * scale) | 0;
  for (let level = 0; level <= LEVELS; level++) levels[level] = 0;
  for (let at = SCORE; at < end; at += BOUNDS) if (bounds[at]! >= least) levels[levelOf(bounds[at]!) + 1]!++;
  for (let level = 0; level < LEVELS; level++) levels[level + 1]! += levels[level]!;
  const count = levels[LEVELS]!;
  for (let at = SCORE, row = 0; at < end; at += BOUNDS, row++)
    if (bounds[at]! >= least) order[levels[levelOf(bounds[at]!)]!++] = row;
  return count;
}
