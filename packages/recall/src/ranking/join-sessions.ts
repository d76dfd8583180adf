import type { Stretches } from '../index/stretches.ts';
import { REACH } from '../index/windows.ts';
import { placeIn } from '../index/word-table.ts';
import type { QueryWord } from './query-words.ts';
import { LAST_LINK, MARKS } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';

/**
 * Completes sessions of several stretches of which `room.joined` holds some: rows for stretches in which only common words
 * stand, and for those from which a window may reach a word. Leaves the first stretch of each such session in `room.joined`.
 */
export function joinSessions(
  stretches: Stretches,
  words: readonly QueryWord[],
  common: readonly number[],
  room: RankingRoom,
): void {
  firstOfEach(stretches, room);
  const { joined, rowOf } = room;
  const { after } = stretches;
  for (let i = 0; i < joined.length; i++) {
    const first = joined.at(i);
    for (let at = first; at >= 0; at = after[at]!) if (rowOf[at] === 0) findWords(at, words, common, room);
    for (let at = first; at >= 0; at = after[at]!) if (hasWords(at, room)) reachOut(stretches, at, room);
  }
}

/** The first stretches of the sessions of those in `room.joined`, each once. */
function firstOfEach({ before, sessions }: Stretches, { joined, sessionCounts }: RankingRoom): void {
  const { items } = joined;
  let end = 0;
  for (let i = 0; i < joined.length; i++) {
    let first = items[i]!;
    const session = sessions[first]!;
    if (sessionCounts[session] !== 0) continue;
    sessionCounts[session] = 1;
    while (before[first]! >= 0) first = before[first]!;
    items[end++] = first;
  }
  joined.length = end;
  for (let i = 0; i < end; i++) sessionCounts[sessions[items[i]!]!] = 0;
}

function findWords(stretch: number, words: readonly QueryWord[], among: readonly number[], room: RankingRoom): void {
  for (const word of among) {
    const { places } = words[word]!;
    const at = placeIn(places, stretch);
    if (at < 0) continue;
    room.makeLinks(1);
    room.link(room.rowFor(stretch), word, places[at + 1]!, places[at + 2]!);
  }
}

function hasWords(stretch: number, { rowOf, marks }: RankingRoom): boolean {
  const row = rowOf[stretch]! - 1;
  return row >= 0 && marks[row * MARKS + LAST_LINK] !== 0;
}

/** Rows for the stretches from which a window may reach into this one. */
function reachOut({ before, after, sizes }: Stretches, stretch: number, room: RankingRoom): void {
  for (const next of [before, after]) {
    let reached = 0;
    for (let at = next[stretch]!; at >= 0 && reached < REACH; at = next[at]!) {
      room.rowFor(at);
      reached += sizes[at]!;
    }
  }
}
