import type { Stretches } from '../index/stretches.ts';
import { countOf, mostInOne, PLACE } from '../index/word-table.ts';
import type { Places } from '../index/word-table.ts';
import type { WordParts } from './part-words.ts';
import type { QueryWord } from './query-words.ts';
import type { RankingRoom } from './ranking-room.ts';

/**
 * A row for each stretch that has none and in which a telling word stands, with links to all words in it. What is passed over
 * of a common word goes into `room.mostPassed`.
 */
export function takeWords(
  stretches: Stretches,
  words: readonly QueryWord[],
  { telling, common }: WordParts,
  room: RankingRoom,
): void {
  const from = room.stretches.length;
  // From the last: links lead from the word that came last to the one before it.
  for (let i = telling.length - 1; i >= 0; i--) {
    const word = telling[i]!;
    takeTelling(stretches, words[word]!.places, word, from, room);
  }
  for (let i = common.length - 1; i >= 0; i--) {
    const word = common[i]!;
    room.mostPassed[word] = takeCommon(words[word]!.places, word, from, room);
  }
}

function takeTelling({ alone }: Stretches, places: Places, word: number, from: number, room: RankingRoom): void {
  room.makeLinks(places.length / PLACE);
  const { rowOf } = room;
  for (let i = 0; i < places.length; i += PLACE) {
    const stretch = places[i]!;
    let row = rowOf[stretch]! - 1;
    if (row < 0) {
      row = room.newRow(stretch);
      if (alone[stretch]! < 0) room.joined.push(stretch);
    } else if (row < from) continue;
    room.link(row, word, places[i + 1]!, places[i + 2]!);
  }
}

/** Answers how often the word stands at most in a turn of those that were passed over. */
function takeCommon(places: Places, word: number, from: number, room: RankingRoom): number {
  room.makeLinks(places.length / PLACE);
  const { rowOf } = room;
  let most = 0;
  for (let i = 0; i < places.length; i += PLACE) {
    const row = rowOf[places[i]!]! - 1;
    if (row >= from) room.link(row, word, places[i + 1]!, places[i + 2]!);
    else if (row < 0) {
      const count = countOf(places[i + 1]!);
      if (count > most) most = Math.max(most, mostInOne(count, places[i + 2]!));
    }
  }
  return most;
}
