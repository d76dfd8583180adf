import type { Stretches } from '../index/stretches.ts';
import { REACH } from '../index/windows.ts';
import { countOf, mostInOne } from '../index/word-table.ts';
import { fifthsOf } from './bm25-parts.ts';
import type { Bm25Parts, TextKinds } from './bm25-parts.ts';
import {
  AHEAD,
  BOUNDS,
  LAST_LINK,
  MARKS,
  OWN,
  PHRASE,
  REST_OF_WINDOW,
  RESTS,
  SESSION,
  WINDOW,
} from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/** Ends what binds each row, beginning with `from`, once all words are taken in. Also BM25 of the session, where it is of one stretch. */
export function endRows(
  { turns }: RecallIndex,
  kinds: TextKinds,
  p: { ahead: boolean; words: number; from: number },
  room: RankingRoom,
): void {
  const { bounds, rests, sessions, sessionsTouched, stretches } = room;
  const { alone } = turns.stretches;
  for (let row = p.from; row < stretches.length; row++) {
    const stretch = stretches.at(row);
    const at = row * BOUNDS;
    bounds[at + PHRASE]! *= p.words - 1;
    if (p.ahead) bounds[at + AHEAD] = bounds[at + OWN]!;
    const single = alone[stretch]!;
    if (single >= 0) {
      sessions[single] = rests[row * RESTS + SESSION]!;
      sessionsTouched.push(single);
    } else
      bounds[at + WINDOW] = windowAround(
        turns.stretches,
        stretch,
        kinds.ofWindows,
        rests[row * RESTS + REST_OF_WINDOW]!,
        room,
      );
  }
}

/** What no turn that was passed over has more of, for words that were looked for only in some rows. */
export function boundLeftOut(kinds: TextKinds, common: readonly number[], room: RankingRoom): void {
  const { leftOut, mostPassed, worths, inSessions } = room;
  const { ofTurns, ofWindows, ofSessions } = kinds;
  leftOut.fill(0);
  for (const word of common) {
    const most = mostPassed[word]!;
    if (most === 0) continue;
    leftOut[0]! += (worths[word]! * (ofTurns.k1 + 1) * most) / (most + ofTurns.plain);
    // However often it stands around a turn, or in a session.
    leftOut[1]! += worths[word]! * (ofWindows.k1 + 1);
    leftOut[2]! += inSessions[word]! * (ofSessions.k1 + 1);
    leftOut[6]! += worths[word]! * (common.length - 1);
  }
  leftOut[4] = leftOut[0]!;
  leftOut[5] = leftOut[0]!;
}

/** The same of a window that may reach into the stretches before and after. */
function windowAround(
  { before, after, sizes }: Stretches,
  stretch: number,
  { k1 }: Bm25Parts,
  rest: number,
  room: RankingRoom,
): number {
  const { around, worths, wordCount } = room;
  countAround(stretch, room);
  for (const next of [before, after]) {
    let reached = 0;
    for (let at = next[stretch]!; at >= 0 && reached < REACH; at = next[at]!) {
      countAround(at, room);
      reached += sizes[at]!;
    }
  }
  let window = 0;
  for (let word = 0; word < wordCount; word++) {
    const inFifths = around[word]!;
    if (inFifths === 0) continue;
    around[word] = 0;
    window += (worths[word]! * (k1 + 1) * inFifths) / (inFifths + rest);
  }
  return window;
}

function countAround(stretch: number, { rowOf, marks, links, around }: RankingRoom): void {
  const row = rowOf[stretch]! - 1;
  if (row < 0) return;
  for (let at = marks[row * MARKS + LAST_LINK]! - 1; at >= 0; at = links[at + 3]! - 1) {
    const count = countOf(links[at + 1]!);
    around[links[at]!]! += fifthsOf(count, mostInOne(count, links[at + 2]!));
  }
}
