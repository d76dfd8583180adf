import { longTexts } from '../index/bm25.ts';
import type { Bm25Weights } from '../index/bm25.ts';
import { REACH, shareAt } from '../index/windows.ts';
import { areTelling, askedCountOf, countOf, PLACE, turnsIn } from '../index/word-table.ts';
import type { KnownWord } from './known-words.ts';
import { AROUND, ASKED, BITS, BOUNDS, MARKS, OWN, PHRASE, WINDOW } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';
import { noteWord } from './word-links.ts';

const FIFTHS: number = shareAt(0);

/** The parts of BM25 that are the same for all texts of a kind; counts and lengths of windows are both in fifths. */
export interface Bm25Parts {
  readonly k1: number;
  readonly plain: number;
  readonly byLength: number;
}

export function turnParts({ turns }: RecallIndex, { k1, b }: Bm25Weights): Bm25Parts {
  const average = turns.totalLength / (turns.size || 1) || 1;
  return { k1, plain: k1 * (1 - b), byLength: (k1 * b) / average };
}

export function windowParts({ turns }: RecallIndex): Bm25Parts {
  const { k1, b } = longTexts;
  const average = turns.windows.total / (turns.size || 1) || 1;
  return { k1, plain: k1 * (1 - b) * FIFTHS, byLength: (k1 * b * FIFTHS) / average };
}

/**
 * A word's part of what no turn of a stretch can exceed: in BM25 of its own words, of those of a turn that asks something, and
 * of the window around it. As if all that stands in the stretch, and around it, stood in its shortest turn, but
 * for words of which it is known that no turn has both.
 */
export function boundWord(
  { turns }: RecallIndex,
  { worth, places }: KnownWord,
  p: { word: number; ofTurns: Bm25Parts; ofWindows: Bm25Parts; phrases: boolean; room: RankingRoom },
): void {
  const { word, room, ofTurns, ofWindows, phrases } = p;
  const { bounds, marks } = room;
  const { alone } = turns.stretches;
  const { least } = turns.windows;
  const { turns: shortest, windows: narrowest } = least;
  const inTurn = worth * (ofTurns.k1 + 1);
  const inWindow = worth * (ofWindows.k1 + 1);
  for (let i = 0; i < places.length; i += PLACE) {
    const stretch = places[i]!;
    const count = countOf(places[i + 1]!);
    const asked = askedCountOf(places[i + 1]!);
    const bits = places[i + 2]!;
    // What stands in other turns.
    const elsewhere = count === 1 ? 0 : turnsIn(bits) - 1;
    const inOne = count - elsewhere;
    least.look(stretch);
    const rest = ofTurns.plain + ofTurns.byLength * shortest[stretch]!;
    const row = room.row(stretch);
    const at = row * BOUNDS;
    const ownWords = (inTurn * inOne) / (inOne + rest);
    const inAsked = Math.min(asked, inOne);
    const askedWords = asked === 0 ? 0 : (inTurn * inAsked) / (inAsked + rest);
    if ((marks[row * MARKS + BITS]! & bits) === 0) {
      // No turn has it and a word before it.
      if (ownWords > bounds[at + OWN]!) bounds[at + OWN] = ownWords;
      if (askedWords > bounds[at + ASKED]!) bounds[at + ASKED] = askedWords;
    } else {
      bounds[at + OWN]! += ownWords;
      bounds[at + ASKED]! += askedWords;
    }
    marks[row * MARKS + BITS]! |= bits;
    noteWord(room, row, { word, bits, isOnceInEach: inOne === 1 && areTelling(bits) });
    if (phrases) bounds[at + PHRASE]! += worth;
    // Most sessions are of one stretch.
    if (alone[stretch]! >= 0) {
      const inFifths = count * FIFTHS - elsewhere;
      const around = ofWindows.plain + ofWindows.byLength * narrowest[stretch]!;
      bounds[at + WINDOW]! += (inWindow * inFifths) / (inFifths + around);
    } else spread(turns, room, stretch, count * FIFTHS - elsewhere);
  }
  const { rowsAround, stretches } = room;
  for (let i = 0, { items } = rowsAround; i < rowsAround.length; i++) {
    const row = items[i]!;
    const stretch = stretches.at(row);
    const count = marks[row * MARKS + AROUND]!;
    marks[row * MARKS + AROUND] = 0;
    least.look(stretch);
    const rest = ofWindows.plain + ofWindows.byLength * narrowest[stretch]!;
    bounds[row * BOUNDS + WINDOW]! += (inWindow * count) / (count + rest);
  }
  rowsAround.length = 0;
}

/** Counts for a stretch, and for those from which a window may reach into it. */
function spread({ stretches }: RecallIndex['turns'], room: RankingRoom, stretch: number, count: number): void {
  countAround(room, stretch, count);
  for (const next of [stretches.before, stretches.after]) {
    let reached = 0;
    for (let at = next[stretch]!; at >= 0 && reached < REACH; at = next[at]!) {
      countAround(room, at, count);
      reached += stretches.sizes[at]!;
    }
  }
}

function countAround(room: RankingRoom, stretch: number, count: number): void {
  const row = room.row(stretch);
  const at = row * MARKS + AROUND;
  if (room.marks[at] === 0) room.rowsAround.push(row);
  room.marks[at]! += count;
}
