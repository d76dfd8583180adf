import type { Stretches } from '../index/stretches.ts';
import { REACH } from '../index/windows.ts';
import { askedCountOf, countOf, mostInOne } from '../index/word-table.ts';
import { FIFTHS } from './bm25-parts.ts';
import type { Bm25Parts } from './bm25-parts.ts';
import { ASKED, BITS, BOUNDS, FIRST_LINK, LINK, LINKS, MARKS, OWN, PHRASE, WINDOW } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/** How texts of each kind are weighed. */
export interface TextKinds {
  readonly ofTurns: Bm25Parts;
  readonly ofWindows: Bm25Parts;
  readonly ofSessions: Bm25Parts;
}

/**
 * What no turn of each row, beginning with `from`, can exceed: in BM25 of its own words, of those of a turn that asks something,
 * and of the window around it. As if all that stands in the stretch, and around it, stood in its shortest turn, but
 * for words of which it is known that no turn has both. Also BM25 of the session, where it is of one stretch.
 */
export function boundRows({ turns }: RecallIndex, kinds: TextKinds, from: number, room: RankingRoom): void {
  const { ofTurns, ofWindows, ofSessions } = kinds;
  const { bounds, marks, links, worths, inSessions, sessions, sessionsTouched, stretches } = room;
  const { alone } = turns.stretches;
  const { lengths } = turns.ofSessions;
  const { least } = turns.windows;
  const { turns: shortest, windows: narrowest } = least;
  const inTurn = ofTurns.k1 + 1;
  const inWindow = ofWindows.k1 + 1;
  const inSession = ofSessions.k1 + 1;
  for (let row = from; row < stretches.length; row++) {
    const stretch = stretches.at(row);
    least.look(stretch);
    const turnRest = ofTurns.plain + ofTurns.byLength * shortest[stretch]!;
    const windowRest = ofWindows.plain + ofWindows.byLength * narrowest[stretch]!;
    const single = alone[stretch]!;
    const sessionRest = single < 0 ? 1 : ofSessions.plain + ofSessions.byLength * lengths[single]!;
    let own = 0;
    let asked = 0;
    let window = 0;
    let session = 0;
    let phrase = 0;
    let bits = 0;
    const first = marks[row * MARKS + FIRST_LINK]!;
    const end = first + LINK * marks[row * MARKS + LINKS]!;
    for (let at = first; at < end; at += LINK) {
      const word = links[at]!;
      const counts = links[at + 1]!;
      const has = links[at + 2]!;
      const worth = worths[word]!;
      const count = countOf(counts);
      const inOne = mostInOne(count, has);
      const ownWords = (worth * inTurn * inOne) / (inOne + turnRest);
      const inAsked = Math.min(askedCountOf(counts), inOne);
      const askedWords = inAsked === 0 ? 0 : (worth * inTurn * inAsked) / (inAsked + turnRest);
      // No turn has it and a word before it, or one may have all.
      own = (bits & has) === 0 ? Math.max(own, ownWords) : own + ownWords;
      asked = (bits & has) === 0 ? Math.max(asked, askedWords) : asked + askedWords;
      bits |= has;
      phrase += worth;
      const inFifths = fifthsOf(count, inOne);
      window += (worth * inWindow * inFifths) / (inFifths + windowRest);
      session += (inSessions[word]! * inSession * count) / (count + sessionRest);
    }
    const at = row * BOUNDS;
    bounds[at + OWN] = own;
    bounds[at + ASKED] = asked;
    bounds[at + PHRASE] = phrase;
    marks[row * MARKS + BITS] = bits;
    if (single < 0) bounds[at + WINDOW] = windowAround(turns.stretches, stretch, { inWindow, windowRest }, room);
    else {
      bounds[at + WINDOW] = window;
      sessions[single] = session;
      sessionsTouched.push(single);
    }
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

/** The fifths that a window can have of a word: what stands in other turns than the window's own is a neighbour's. */
function fifthsOf(count: number, inOne: number): number {
  return count * FIFTHS - (count - inOne);
}

/** The same of a window that may reach into the stretches before and after. */
function windowAround(
  { before, after, sizes }: Stretches,
  stretch: number,
  { inWindow, windowRest }: { inWindow: number; windowRest: number },
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
    window += (worths[word]! * inWindow * inFifths) / (inFifths + windowRest);
  }
  return window;
}

function countAround(stretch: number, { rowOf, marks, links, around }: RankingRoom): void {
  const row = rowOf[stretch]! - 1;
  if (row < 0) return;
  const first = marks[row * MARKS + FIRST_LINK]!;
  const end = first + LINK * marks[row * MARKS + LINKS]!;
  for (let at = first; at < end; at += LINK) {
    const count = countOf(links[at + 1]!);
    around[links[at]!]! += fifthsOf(count, mostInOne(count, links[at + 2]!));
  }
}
