import { blockOf } from '../index/turn-table.ts';
import type { DaySpan } from '../time/day-span.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';
import { nearnessInTime, overlapInTime } from './times.ts';

/** When each turn was said and of what time it speaks, as far as it is near to these days, into `room.then` and `room.about`. */
export function scoreTimes(
  index: RecallIndex,
  spans: readonly DaySpan[],
  room: RankingRoom,
): { then: number; about: number } {
  const { times } = index.turns;
  const { then, about, blockThen, blockAbout } = room;
  const largest = { then: 0, about: 0 };
  if (spans.length === 0) return largest;
  for (const slot of index.turns.slots()) {
    const nearness = nearnessInTime(times[slot]!, spans);
    if (nearness === 0) continue;
    room.dated.push(slot);
    room.touch(blockOf(slot));
    then[slot] = nearness;
    blockThen[blockOf(slot)] = Math.max(blockThen[blockOf(slot)]!, nearness);
    largest.then = Math.max(largest.then, nearness);
  }
  for (const [slot, spoken] of index.spans) {
    const overlap = overlapInTime(spoken, spans);
    if (overlap <= 0) continue;
    room.dated.push(slot);
    room.touch(blockOf(slot));
    about[slot] = overlap;
    blockAbout[blockOf(slot)] = Math.max(blockAbout[blockOf(slot)]!, overlap);
    largest.about = Math.max(largest.about, overlap);
  }
  return largest;
}
