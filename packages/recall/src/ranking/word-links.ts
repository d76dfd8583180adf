import { grown } from '../index/grown.ts';
import { LAST_LINK, MARKS } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';

/** Numbers of a link: the word's place in the query, the bits of its turns, whether it stands once in each, and the link before. */
export const LINK = 4;

/** Adds to the links of a row that a word of the query stands there. A row has its last link first. */
export function noteWord(
  room: RankingRoom,
  row: number,
  p: { word: number; bits: number; isOnceInEach: boolean },
): void {
  const at = room.linkCount;
  if (at + LINK > room.links.length) room.links = grown(room.links);
  const { links, marks } = room;
  const last = row * MARKS + LAST_LINK;
  links[at] = p.word;
  links[at + 1] = p.bits;
  links[at + 2] = p.isOnceInEach ? 1 : 0;
  // One more than where it is, so that nothing is 0.
  links[at + 3] = marks[last]!;
  marks[last] = at + 1;
  room.linkCount = at + LINK;
}
