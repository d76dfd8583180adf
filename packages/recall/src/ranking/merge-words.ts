import { countOf, mostInOne, PLACE } from '../index/word-table.ts';
import type { Places } from '../index/word-table.ts';
import type { QueryWord } from './query-words.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/** No stretch has this number. */
const END = 2 ** 31 - 1;

/** Words that make rows, and words that are only looked for in rows which others make; each by its place in the query, in order. */
export interface WordParts {
  readonly telling: readonly number[];
  readonly common: readonly number[];
}

/**
 * A row for each stretch that has none and in which a telling word stands, with links to all words in it: the telling ones
 * first, each kind in the query's order. Lists of places are in the order of stretches, so that each is gone through once. What
 * is passed over of a common word goes into `room.mostPassed`.
 */
export function mergeWords(
  { turns }: RecallIndex,
  words: readonly QueryWord[],
  { telling, common }: WordParts,
  room: RankingRoom,
): void {
  const { heads, positions, queue, rowOf } = room;
  const { alone } = turns.stretches;
  const lists = words.map(({ places }) => places);
  for (let word = 0; word < lists.length; word++) {
    positions[word] = 0;
    heads[word] = lists[word]![0]!;
  }
  // The telling words by their next stretches, and by their order where these are the same.
  let queued = 0;
  for (let i = telling.length - 1; i >= 0; i--) {
    for (let at = queued++; at > 0; at--) queue[at] = queue[at - 1]!;
    queue[0] = telling[i]!;
    sink(room, queued);
  }
  while (queued > 0) {
    const stretch = heads[queue[0]!]!;
    const isNew = rowOf[stretch] === 0;
    if (isNew) {
      room.newRow(stretch);
      if (alone[stretch]! < 0) room.joined.push(stretch);
    }
    do {
      const word = queue[0]!;
      const list = lists[word]!;
      const at = positions[word]!;
      if (isNew) room.link(word, list[at + 1]!, list[at + 2]!);
      positions[word] = at + PLACE;
      heads[word] = at + PLACE < list.length ? list[at + PLACE]! : END;
      sink(room, queued);
      if (heads[queue[queued - 1]!] === END) queued--;
    } while (queued > 0 && heads[queue[0]!] === stretch);
    for (let i = 0; i < common.length; i++) {
      const word = common[i]!;
      if (heads[word]! < stretch) pass(lists[word]!, word, stretch, room);
      if (heads[word] !== stretch || !isNew) continue;
      const at = positions[word]!;
      room.link(word, lists[word]![at + 1]!, lists[word]![at + 2]!);
    }
  }
  for (const word of common) pass(lists[word]!, word, END, room);
}

/** Puts the first of the queue where it belongs among the others, which are in order. */
function sink({ heads, queue }: RankingRoom, queued: number): void {
  const word = queue[0]!;
  const head = heads[word]!;
  let at = 0;
  for (; at + 1 < queued; at++) {
    const next = queue[at + 1]!;
    if (heads[next]! > head || (heads[next] === head && next > word)) break;
    queue[at] = next;
  }
  queue[at] = word;
}

/** Goes on in a list to a stretch. */
function pass(list: Places, word: number, stretch: number, { heads, positions, mostPassed }: RankingRoom): void {
  let at = positions[word]!;
  let most = mostPassed[word]!;
  for (; at < list.length && list[at]! < stretch; at += PLACE) {
    const count = countOf(list[at + 1]!);
    if (count > most) most = Math.max(most, mostInOne(count, list[at + 2]!));
  }
  mostPassed[word] = most;
  positions[word] = at;
  heads[word] = at < list.length ? list[at]! : END;
}
