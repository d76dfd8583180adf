import { LEVELS } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';

/**
 * Puts the places of stretches that are bound by at least so much into `room.order`, in falling order of their bounds to one
 * part in `LEVELS`: enough for the best to come early, at no cost of sorting. Answers how many there are.
 */
export function byBound({ bounds, order, levels, stretches }: RankingRoom, least: number): number {
  const { length } = stretches;
  let largest = least;
  for (let i = 0; i < length; i++) if (bounds[i]! > largest) largest = bounds[i]!;
  const scale = largest > least ? (LEVELS - 1) / (largest - least) : 0;
  for (let level = 0; level <= LEVELS; level++) levels[level] = 0;
  for (let i = 0; i < length; i++) if (bounds[i]! >= least) levels[levelOf(largest - bounds[i]!, scale) + 1]!++;
  for (let level = 0; level < LEVELS; level++) levels[level + 1]! += levels[level]!;
  const count = levels[LEVELS]!;
  for (let i = 0; i < length; i++) if (bounds[i]! >= least) order[levels[levelOf(largest - bounds[i]!, scale)]!++] = i;
  return count;
}

function levelOf(below: number, scale: number): number {
  return (below * scale) | 0;
}
