import { rareness } from '../index/bm25.ts';
import { PLACE } from '../index/word-table.ts';
import type { Places } from '../index/word-table.ts';
import type { RankingRoom } from './ranking-room.ts';
import { isForm } from './recall-index.ts';
import type { RecallIndex } from './recall-index.ts';

const FORM_WORTH = 0.5;

/** A word of the query that stands somewhere: what it is worth by its rareness among turns and among sessions, and where it stands. */
export interface QueryWord {
  readonly number: number;
  readonly worth: number;
  readonly inSessions: number;
  readonly places: Places;
}

/** What a word counts beside others: a further form half. */
export function worthOf(word: string): number {
  return isForm(word) ? FORM_WORTH : 1;
}

/** The words that stand somewhere, in the query's order, also as columns of the room. */
export function queryWords(index: RecallIndex, words: readonly string[], room: RankingRoom): QueryWord[] {
  const { turns } = index;
  const known: QueryWord[] = [];
  for (const word of words) {
    const number = index.words.find(word);
    if (number === undefined) continue;
    const places = index.words.placesOf(number);
    const counts = worthOf(word);
    known.push({
      number,
      worth: counts * rareness(turns.size, index.words.turnsWith(number)),
      inSessions: counts * rareness(turns.ofSessions.count, sessionsWith(index, places, room)),
      places,
    });
  }
  room.setWords(known);
  return known;
}

/** In how many sessions a word stands. */
function sessionsWith({ turns }: RecallIndex, places: Places, { sessionCounts, sessionsAtHand }: RankingRoom): number {
  const { alone, sessions, joined } = turns.stretches;
  const stretches = places.length / PLACE;
  // Most sessions are of one stretch.
  if (joined === 0) return stretches;
  let again = 0;
  for (let i = 0; i < places.length; i += PLACE) {
    const stretch = places[i]!;
    if (alone[stretch]! >= 0) continue;
    const session = sessions[stretch]!;
    if (sessionCounts[session] !== 0) again++;
    else {
      sessionCounts[session] = 1;
      sessionsAtHand.push(session);
    }
  }
  for (let i = 0, { items } = sessionsAtHand; i < sessionsAtHand.length; i++) sessionCounts[items[i]!] = 0;
  sessionsAtHand.length = 0;
  return stretches - again;
}
