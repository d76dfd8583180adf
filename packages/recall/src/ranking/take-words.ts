import { askedCountOf, countOf, mostInOne, PLACE } from '../index/word-table.ts';
import { fifthsOf } from './bm25-parts.ts';
import type { TextKinds } from './bm25-parts.ts';
import type { WordParts } from './part-words.ts';
import type { QueryWord } from './query-words.ts';
import {
  ASKED,
  BITS,
  BOUNDS,
  LAST_LINK,
  LINK,
  MARKS,
  OWN,
  PHRASE,
  REST_OF_SESSION,
  REST_OF_TURN,
  REST_OF_WINDOW,
  RESTS,
  SESSION,
  WINDOW,
} from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/**
 * A row for each stretch that has none and in which a telling word stands, with links to all words in it, and what they bind its
 * turns by. What is passed over of a common word goes into `room.mostPassed`.
 */
export function takeWords(
  index: RecallIndex,
  words: readonly QueryWord[],
  { telling, common }: WordParts,
  kinds: TextKinds,
  room: RankingRoom,
): void {
  const from = room.stretches.length;
  for (let i = 0; i < telling.length; i++)
    takeTelling(index, words[telling[i]!]!, new PlaceTaker(kinds, telling[i]!, room), from);
  for (let i = 0; i < common.length; i++)
    takeCommon(words[common[i]!]!, new PlaceTaker(kinds, common[i]!, room), from, room);
}

function takeTelling(index: RecallIndex, { places }: QueryWord, taker: PlaceTaker, from: number): void {
  const { room } = taker;
  room.makeLinks(places.length / PLACE);
  const { rowOf } = room;
  for (let i = 0; i < places.length; i += PLACE) {
    const stretch = places[i]!;
    let row = rowOf[stretch]! - 1;
    if (row < 0) {
      row = beginRow(index, stretch, taker.kinds, room);
      if (index.turns.stretches.alone[stretch]! < 0) room.joined.push(stretch);
    } else if (row < from) continue;
    taker.take(row, places[i + 1]!, places[i + 2]!);
  }
}

function takeCommon({ places }: QueryWord, taker: PlaceTaker, from: number, room: RankingRoom): void {
  room.makeLinks(places.length / PLACE);
  const { rowOf, mostPassed } = room;
  let most = 0;
  for (let i = 0; i < places.length; i += PLACE) {
    const row = rowOf[places[i]!]! - 1;
    if (row >= from) taker.take(row, places[i + 1]!, places[i + 2]!);
    else if (row < 0) {
      const count = countOf(places[i + 1]!);
      if (count > most) most = Math.max(most, mostInOne(count, places[i + 2]!));
    }
  }
  mostPassed[taker.word] = most;
}

/** The row of a stretch, which may be new. */
export function rowFor(index: RecallIndex, stretch: number, kinds: TextKinds, room: RankingRoom): number {
  const row = room.rowOf[stretch]! - 1;
  return row < 0 ? beginRow(index, stretch, kinds, room) : row;
}

function beginRow(
  { turns }: RecallIndex,
  stretch: number,
  { ofTurns, ofWindows, ofSessions }: TextKinds,
  room: RankingRoom,
): number {
  const row = room.newRow(stretch);
  const { least } = turns.windows;
  least.look(stretch);
  const single = turns.stretches.alone[stretch]!;
  const { rests } = room;
  const at = row * RESTS;
  rests[at + REST_OF_TURN] = ofTurns.plain + ofTurns.byLength * least.turns[stretch]!;
  rests[at + REST_OF_WINDOW] = ofWindows.plain + ofWindows.byLength * least.windows[stretch]!;
  rests[at + REST_OF_SESSION] =
    single < 0 ? 1 : ofSessions.plain + ofSessions.byLength * turns.ofSessions.lengths[single]!;
  rests[at + SESSION] = 0;
  return row;
}

/** Takes the places of one word into rows: a link to it, and what it adds to what no turn of the row can exceed. */
export class PlaceTaker {
  readonly kinds: TextKinds;
  readonly word: number;
  readonly room: RankingRoom;
  readonly #inTurn: number;
  readonly #inWindow: number;
  readonly #inSession: number;
  readonly #worth: number;

  constructor(kinds: TextKinds, word: number, room: RankingRoom) {
    this.kinds = kinds;
    this.word = word;
    this.room = room;
    const worth = room.worths[word]!;
    this.#worth = worth;
    this.#inTurn = worth * (kinds.ofTurns.k1 + 1);
    this.#inWindow = worth * (kinds.ofWindows.k1 + 1);
    this.#inSession = room.inSessions[word]! * (kinds.ofSessions.k1 + 1);
  }

  /**
   * As if all that stands in the stretch, and around it, stood in its shortest turn, but for words of which it is known that no
   * turn has both. There must be room for the link.
   */
  take(row: number, counts: number, has: number): void {
    const { bounds, rests, marks, links } = this.room;
    const link = this.room.linkCount;
    this.room.linkCount = link + LINK;
    const mark = row * MARKS;
    links[link] = this.word;
    links[link + 1] = counts;
    links[link + 2] = has;
    links[link + 3] = marks[mark + LAST_LINK]!;
    marks[mark + LAST_LINK] = link + 1;
    const at = row * BOUNDS;
    const rest = row * RESTS;
    const count = countOf(counts);
    const inOne = mostInOne(count, has);
    const turnRest = rests[rest + REST_OF_TURN]!;
    const ownWords = (this.#inTurn * inOne) / (inOne + turnRest);
    const bits = marks[mark + BITS]!;
    const own = bounds[at + OWN]!;
    // No turn has it and a word before it, or one may have all.
    const isApart = (bits & has) === 0;
    bounds[at + OWN] = isApart ? (own > ownWords ? own : ownWords) : own + ownWords;
    const asks = askedCountOf(counts);
    if (asks !== 0) {
      const inAsked = asks < inOne ? asks : inOne;
      const askedWords = (this.#inTurn * inAsked) / (inAsked + turnRest);
      const asked = bounds[at + ASKED]!;
      bounds[at + ASKED] = isApart ? Math.max(asked, askedWords) : asked + askedWords;
    }
    marks[mark + BITS] = bits | has;
    bounds[at + PHRASE]! += this.#worth;
    const inFifths = fifthsOf(count, inOne);
    bounds[at + WINDOW]! += (this.#inWindow * inFifths) / (inFifths + rests[rest + REST_OF_WINDOW]!);
    rests[rest + SESSION]! += (this.#inSession * count) / (count + rests[rest + REST_OF_SESSION]!);
  }
}
