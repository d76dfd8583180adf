import { longTexts, rareness } from '../index/bm25.ts';
import type { Bm25Weights } from '../index/bm25.ts';
import { countOf, slotOf } from '../index/posting-list.ts';
import type { PostingList } from '../index/posting-list.ts';
import { blockOf, REACH, shareAt } from '../index/turn-table.ts';
import type { RankingRoom } from './ranking-room.ts';
import { isForm } from './recall-index.ts';
import type { RecallIndex } from './recall-index.ts';

const FORM_WORTH = 0.5;
const FIFTHS: number = shareAt(0);
/** A word and its count stand in one number, as in a posting. */
const COUNTS = 256;

/** A word of the query that stands somewhere: what it is worth by its rareness, and where it stands. */
export interface KnownWord {
  worth: number;
  postings: PostingList;
}

/** What a word counts beside others: a further form half. */
export function worthOf(word: string): number {
  return isForm(word) ? FORM_WORTH : 1;
}

/** The words that stand somewhere, in the query's order. */
export function knownWords(index: RecallIndex, words: readonly string[]): KnownWord[] {
  const known: KnownWord[] = [];
  for (const word of words) {
    const number = index.words.find(word);
    if (number === undefined) continue;
    const postings = index.words.postingsOf(number);
    known.push({ worth: worthOf(word) * rareness(index.turns.size, postings.length), postings });
  }
  return known;
}

/** Notes each occurrence of the words, and BM25 of each turn that has one, into `room.own`. */
export function scoreOwnWords(
  index: RecallIndex,
  words: readonly KnownWord[],
  { k1, b }: Bm25Weights,
  room: RankingRoom,
): void {
  const { turns } = index;
  const { own, owners, heads, occurrences, nexts } = room;
  const { lengths } = turns;
  const average = turns.totalLength / (turns.size || 1) || 1;
  const [plain, byLength] = [k1 * (1 - b), (k1 * b) / average];
  let at = 0;
  for (let word = 0; word < words.length; word++) {
    const { postings } = words[word]!;
    const worth = words[word]!.worth * (k1 + 1);
    for (let i = 0; i < postings.length; i++) {
      const slot = slotOf(postings[i]!);
      const count = countOf(postings[i]!);
      if (heads[slot] === 0) owners.push(slot);
      own[slot]! += (worth * count) / (count + plain + byLength * lengths[slot]!);
      at++;
      occurrences[at] = word * COUNTS + count;
      nexts[at] = heads[slot]!;
      heads[slot] = at;
    }
  }
}

/** For each block, what BM25 of a window in it cannot exceed: as if all that stands in it and around it stood in one turn. */
export function boundWindows(index: RecallIndex, words: readonly KnownWord[], room: RankingRoom): void {
  const { turns } = index;
  const { edges } = turns;
  const { blockCounts, blockNear, blocksAtHand } = room;
  const { k1, plain, byLength } = windowParts(index);
  for (const { postings, worth } of words) {
    for (let i = 0; i < postings.length; i++) {
      const slot = slotOf(postings[i]!);
      const count = countOf(postings[i]!) * FIFTHS;
      const block = blockOf(slot);
      if (blockCounts[block] === 0) blocksAtHand.push(block);
      blockCounts[block]! += count;
      if (edges[slot] !== 0) addAround(turns, room, slot, count);
    }
    for (let i = 0; i < blocksAtHand.length; i++) {
      const block = blocksAtHand.at(i);
      const count = blockCounts[block]!;
      blockCounts[block] = 0;
      room.touch(block);
      blockNear[block]! += (worth * (k1 + 1) * count) / (count + plain + byLength * turns.leastWindow(block));
    }
    blocksAtHand.length = 0;
  }
}

function addAround({ before, after }: RecallIndex['turns'], room: RankingRoom, slot: number, count: number): void {
  const { blockCounts, blocksAtHand } = room;
  for (const next of [before, after]) {
    let block = blockOf(slot);
    for (let at = next[slot]!, d = 1; at >= 0 && d <= REACH; at = next[at]!, d++) {
      if (blockOf(at) === block) continue;
      block = blockOf(at);
      if (blockCounts[block] === 0) blocksAtHand.push(block);
      blockCounts[block]! += count;
    }
  }
}

/** Answers BM25 of the window around a turn; 0 where none of the words stands in it. */
export function windowScorer(
  index: RecallIndex,
  words: readonly KnownWord[],
  room: RankingRoom,
): (slot: number) => number {
  const { before, after, windows } = index.turns;
  const { k1, plain, byLength } = windowParts(index);
  const inWindow = new Int32Array(words.length);
  const { heads, occurrences, nexts } = room;

  function count(slot: number, share: number): boolean {
    let at = heads[slot]!;
    if (at === 0) return false;
    for (; at !== 0; at = nexts[at]!) inWindow[slotOf(occurrences[at]!)]! += countOf(occurrences[at]!) * share;
    return true;
  }

  return (slot) => {
    let any = count(slot, FIFTHS);
    for (let at = before[slot]!, d = 1; at >= 0 && d <= REACH; at = before[at]!, d++)
      any = count(at, shareAt(d)) || any;
    for (let at = after[slot]!, d = 1; at >= 0 && d <= REACH; at = after[at]!, d++) any = count(at, shareAt(d)) || any;
    if (!any) return 0;
    let score = 0;
    for (let word = 0; word < inWindow.length; word++) {
      const found = inWindow[word]!;
      if (found === 0) continue;
      inWindow[word] = 0;
      score += (words[word]!.worth * (k1 + 1) * found) / (found + plain + byLength * windows[slot]!);
    }
    return score;
  };
}

// Counts and lengths of windows are both in fifths.
function windowParts({ turns }: RecallIndex): { k1: number; plain: number; byLength: number } {
  const { k1, b } = longTexts;
  const average = turns.totalWindow / (turns.size || 1) || 1;
  return { k1, plain: k1 * (1 - b) * FIFTHS, byLength: (k1 * b * FIFTHS) / average };
}
