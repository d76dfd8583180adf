import type { DaySpan } from '../time/day-span.ts';
import { ABOUT, BOUNDS, THEN } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';
import { nearnessInTime, overlapInTime } from './times.ts';

/** When each turn was said and of what time it speaks, as far as it is near to these days, into `room.saidThen` and `room.aboutThen`. */
export function scoreTimes(
  index: RecallIndex,
  spans: readonly DaySpan[],
  room: RankingRoom,
): { saidThen: number; aboutThen: number } {
  const { times, stretches } = index.turns;
  const { saidThen, aboutThen, bounds } = room;
  const largest = { saidThen: 0, aboutThen: 0 };
  if (spans.length === 0) return largest;
  for (const slot of index.turns.slots()) {
    const nearness = nearnessInTime(times[slot]!, spans);
    if (nearness === 0) continue;
    room.dated.push(slot);
    const most = room.rowFor(stretches.of[slot]!) * BOUNDS + THEN;
    saidThen[slot] = nearness;
    bounds[most] = Math.max(bounds[most]!, nearness);
    largest.saidThen = Math.max(largest.saidThen, nearness);
  }
  for (const [slot, spoken] of index.spans) {
    const overlap = overlapInTime(spoken, spans);
    if (overlap <= 0) continue;
    room.dated.push(slot);
    const most = room.rowFor(stretches.of[slot]!) * BOUNDS + ABOUT;
    aboutThen[slot] = overlap;
    bounds[most] = Math.max(bounds[most]!, overlap);
    largest.aboutThen = Math.max(largest.aboutThen, overlap);
  }
  return largest;
}
