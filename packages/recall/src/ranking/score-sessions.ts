import { longTexts, rareness } from '../index/bm25.ts';
import { countOf, PLACE } from '../index/word-table.ts';
import type { Places } from '../index/word-table.ts';
import { worthOf } from './known-words.ts';
import type { KnownWord } from './known-words.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { Query } from './read-query.ts';
import type { RecallIndex } from './recall-index.ts';

/** A word that a session may have, and whose name it is. */
interface SessionWord {
  readonly word: string;
  readonly places: Places;
  readonly speakers?: readonly number[];
}

/** BM25 of each session in which a word of the query stands or somebody of that name speaks, into `room.sessions`. Answers the largest. */
export function scoreSessions(
  index: RecallIndex,
  { query, known }: { query: Query; known: readonly KnownWord[] },
  room: RankingRoom,
): number {
  const { turns } = index;
  const { sessions, sessionsTouched, sessionCounts, sessionsAtHand } = room;
  const { k1, b } = longTexts;
  const { lengths, count: sessionCount } = turns.ofSessions;
  const average = turns.totalLength / (sessionCount || 1) || 1;
  const plain = k1 * (1 - b);
  const byLength = (k1 * b) / average;
  const { alone, sessions: sessionOf } = turns.stretches;
  const words: readonly SessionWord[] = query.named.length === 0 ? known : wordsAndNames(index, query);
  // Most sessions are of one stretch: what is counted in it is counted.
  for (const { word, places, speakers } of words) {
    let single = 0;
    for (let i = 0; i < places.length; i += PLACE) {
      const stretch = places[i]!;
      if (alone[stretch]! >= 0 && !speakers) single++;
      else countInSession(sessionOf[stretch]!, countOf(places[i + 1]!), room);
    }
    for (const author of speakers ?? [])
      for (const [session, count] of index.authors.sessionsOf(author)) countInSession(session, count, room);
    const worth = worthOf(word) * rareness(sessionCount, single + sessionsAtHand.length) * (k1 + 1);
    for (let i = 0; single > 0 && i < places.length; i += PLACE) {
      const session = alone[places[i]!]!;
      if (session < 0) continue;
      const count = countOf(places[i + 1]!);
      if (sessions[session] === 0) sessionsTouched.push(session);
      sessions[session]! += (worth * count) / (count + plain + byLength * lengths[session]!);
    }
    for (let i = 0, { items } = sessionsAtHand; i < sessionsAtHand.length; i++) {
      const session = items[i]!;
      const count = sessionCounts[session]!;
      sessionCounts[session] = 0;
      if (sessions[session] === 0) sessionsTouched.push(session);
      sessions[session]! += (worth * count) / (count + plain + byLength * lengths[session]!);
    }
    sessionsAtHand.length = 0;
  }
  let largest = 0;
  for (let i = 0, { items } = sessionsTouched; i < sessionsTouched.length; i++)
    if (sessions[items[i]!]! > largest) largest = sessions[items[i]!]!;
  return largest;
}

function countInSession(session: number, count: number, { sessionCounts, sessionsAtHand }: RankingRoom): void {
  const before = sessionCounts[session]!;
  if (before === 0) sessionsAtHand.push(session);
  sessionCounts[session] = before + count;
}

function wordsAndNames(index: RecallIndex, query: Query): SessionWord[] {
  const speakers = speakersOf(index, query);
  return [...query.words, ...query.nameWords].map((word) => {
    const number = index.words.find(word);
    const named = speakers.get(word);
    return { word, places: number === undefined ? [] : index.words.placesOf(number), ...(named && { speakers: named }) };
  });
}

function speakersOf(index: RecallIndex, query: Query): Map<string, number[]> {
  const speakers = new Map<string, number[]>();
  for (const { author, words } of index.authors.present()) {
    if (!query.named.includes(author)) continue;
    for (const word of words) speakers.set(word, [...(speakers.get(word) ?? []), author]);
  }
  return speakers;
}
