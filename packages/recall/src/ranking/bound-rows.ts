import type { Stretches } from '../index/stretches.ts';
import { REACH } from '../index/windows.ts';
import { askedCountOf, countOf, mostInOne } from '../index/word-table.ts';
import { fifthsOf } from './bm25-parts.ts';
import type { Bm25Parts, TextKinds } from './bm25-parts.ts';
import { AHEAD, ASKED, BITS, BOUNDS, LAST_LINK, MARKS, OWN, PHRASE, WINDOW } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/**
 * Says of each row, beginning with `from`, what none of its turns exceeds: as if all that stands in the stretch, and around it,
 * stood in its shortest turn, but for words of which it is known that no turn has both. Also BM25 of the session, where it is of
 * one stretch.
 */
export function boundRows({ turns }: RecallIndex, kinds: TextKinds, from: number, room: RankingRoom): void {
  const { stretches, bounds, marks, links, worths, inSessions, sessions, sessionsTouched, wordCount } = room;
  const { ofTurns, ofWindows, ofSessions } = kinds;
  const { alone } = turns.stretches;
  const { least } = turns.windows;
  const { lengths } = turns.ofSessions;
  const [ofTurn, ofWindow, ofSession] = [ofTurns.k1 + 1, ofWindows.k1 + 1, ofSessions.k1 + 1];
  for (let row = from; row < stretches.length; row++) {
    const stretch = stretches.at(row);
    const single = alone[stretch]!;
    least.look(stretch);
    const turnRest = ofTurns.plain + ofTurns.byLength * least.turns[stretch]!;
    const windowRest = ofWindows.plain + ofWindows.byLength * least.windows[stretch]!;
    const sessionRest = single < 0 ? 1 : ofSessions.plain + ofSessions.byLength * lengths[single]!;
    let own = 0;
    let asked = 0;
    let window = 0;
    let session = 0;
    let phrase = 0;
    let bits = 0;
    for (let link = marks[row * MARKS + LAST_LINK]! - 1; link >= 0; link = links[link + 3]! - 1) {
      const word = links[link]!;
      const counts = links[link + 1]!;
      const has = links[link + 2]!;
      const worth = worths[word]!;
      const count = countOf(counts);
      const inOne = mostInOne(count, has);
      // No turn has it and a word before it, or one may have all.
      const isApart = (bits & has) === 0;
      bits |= has;
      const inTurn = worth * ofTurn;
      const ownWords = (inTurn * inOne) / (inOne + turnRest);
      own = isApart ? Math.max(own, ownWords) : own + ownWords;
      const asks = Math.min(askedCountOf(counts), inOne);
      if (asks !== 0) {
        const askedWords = (inTurn * asks) / (asks + turnRest);
        asked = isApart ? Math.max(asked, askedWords) : asked + askedWords;
      }
      phrase += worth;
      const inFifths = fifthsOf(count, inOne);
      window += (worth * ofWindow * inFifths) / (inFifths + windowRest);
      session += (inSessions[word]! * ofSession * count) / (count + sessionRest);
    }
    marks[row * MARKS + BITS] = bits;
    const at = row * BOUNDS;
    bounds[at + OWN] = own;
    bounds[at + ASKED] = asked;
    bounds[at + AHEAD] = own;
    bounds[at + PHRASE] = phrase * (wordCount - 1);
    if (single >= 0) {
      bounds[at + WINDOW] = window;
      sessions[single] = session;
      sessionsTouched.push(single);
    } else bounds[at + WINDOW] = windowAround(turns.stretches, stretch, ofWindows, windowRest, room);
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
