import { grown } from '../index/grown.ts';
import type { RankingRoom } from './ranking-room.ts';

/** Numbers of a link: the word's place in the query, the bits of its turns, whether it stands once in each, and the link before. */
export const LINK = 4;

/** Adds to the links of a stretch that a word of the query stands there. A stretch has its last link first. */
export function noteWord(
  room: RankingRoom,
  stretch: number,
  p: { word: number; bits: number; isOnceInEach: boolean },
): void {
  const at = room.linkCount;
  if (at + LINK > room.links.length) room.links = grown(room.links);
  const { links, lastLinks } = room;
  links[at] = p.word;
  links[at + 1] = p.bits;
  links[at + 2] = p.isOnceInEach ? 1 : 0;
  // One more than where it is, so that nothing is 0.
  links[at + 3] = lastLinks[stretch]!;
  lastLinks[stretch] = at + 1;
  room.linkCount = at + LINK;
}
